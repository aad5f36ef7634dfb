import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import Provider, { type Oidc } from 'oidc-provider'
import { listen } from '../listen.ts'
import { client, type FakePerson } from './fake-providers.ts'

type Signing = { alg: 'RS256' | 'ES256'; signsUserInfo?: boolean }

/** Starts the package oidc-provider, a certified OpenID provider, on loopback. */
export async function startCertifiedOpenId(redirectUri: string) {
  let person: FakePerson = { id: '1', username: 'nobody', email: null }
  let entered = 0
  let listener: RequestListener = (_, response) => void response.end()
  const server = createServer((request, response) => listener(request, response))
  const { port, close } = await listen(server)
  const url = `http://127.0.0.1:${port}`

  /** Switches to this kind of signing, with a new key as the only one. */
  async function sign({ alg, signsUserInfo = false }: Signing): Promise<void> {
    const { privateKey } = await generateKeyPair(alg, { extractable: true })
    const provider = new Provider(url, {
      clients: [
        {
          client_id: client.id,
          client_secret: client.secret,
          redirect_uris: [redirectUri],
          id_token_signed_response_alg: alg,
          ...(signsUserInfo && { userinfo_signed_response_alg: alg }),
        },
      ],
      jwks: { keys: [{ ...(await exportJWK(privateKey)), alg, use: 'sig', kid: randomUUID() }] },
      enabledJWA: { idTokenSigningAlgValues: [alg], userinfoSigningAlgValues: [alg] },
      features: { devInteractions: { enabled: false }, jwtUserinfo: { enabled: true } },
      claims: { email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
      cookies: { keys: ['a key of the cookies'] },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/enter/${uid}` },
      findAccount: (_: unknown, id: string) => ({
        accountId: id,
        claims: () => ({
          sub: id,
          email: person.email,
          email_verified: person.verified,
          preferred_username: person.username,
        }),
      }),
      async loadExistingGrant({ oidc }: { oidc: Oidc }) {
        const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
    })
    const usual = provider.callback()
    listener = (request, response) => {
      if (!request.url?.startsWith('/enter/')) return usual(request, response)
      entered += 1
      return provider.interactionFinished(request, response, { login: { accountId: person.id } })
    }
  }

  return {
    env: { OIDC_ISSUER: url, OIDC_CLIENT_ID: client.id, OIDC_CLIENT_SECRET: client.secret },
    sign,
    person: (next: FakePerson) => {
      person = next
    },
    /** How often a person has entered credentials. */
    entered: () => entered,
    /** A browser that enters credentials when prompted; returns the path and query that it is redirected back to. */
    browser() {
      const jar = new Map<string, string>()
      return async function visit(address: string): Promise<string> {
        const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
        const answer = await fetch(address, { redirect: 'manual', headers: { cookie } })
        for (const line of answer.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
          value ? jar.set(name, value) : jar.delete(name)
        }
        const next = URL.parse(answer.headers.get('location') ?? '', address)
        if (!next || answer.status < 300)
          throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`)
        return next.origin === url ? visit(next.href) : next.pathname + next.search
      }
    },
    close,
  }
}
