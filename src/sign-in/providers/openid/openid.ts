import * as z from 'zod/mini'
import type { Context } from '../../../platform/context.ts'
import type { SignInConfig } from '../../config.ts'
import { type Ask, type Failed, hasFailed, tokenFor, trouble } from '../ask.ts'
import type { OpenIdProvider } from '../provider.ts'
import { claimOf, identityOf, isIncomplete, rolesOf, type Told } from './claims.ts'
import { discovery } from './discovery.ts'
import { keyStore, verifyIdToken } from './id-token.ts'

type OpenIdConfig = NonNullable<SignInConfig['oidc']>

const UserInfo = z.looseObject({ sub: z.string() })

/** Any provider that follows OpenID Connect: it is found by its issuer, and says by a signed ID token who signs in. */
export function openId(
  { issuer, client, name, scopes, rolesClaim }: OpenIdConfig,
  { now, elapsed, log }: Pick<Context, 'now' | 'elapsed' | 'log'>,
): OpenIdProvider {
  const metadataOf = discovery(issuer, elapsed)
  const keysOf = keyStore(elapsed)

  async function userInfoOf(ask: Ask, url: string, token: string, sub: string): Promise<{ told: Told } | Failed> {
    const answer = await ask(url, UserInfo, { headers: { authorization: `Bearer ${token}` }, tries: 2 })
    if (hasFailed(answer)) return answer
    if (answer.status !== 200) return trouble(`${url} answered ${answer.status}`)
    return answer.value.sub === sub ? { told: answer.value } : trouble(`${url} speaks of somebody else`)
  }

  function claimedRoles(idToken: Told, userInfo: Told) {
    if (rolesClaim === undefined) return undefined
    const claim = claimOf(idToken, rolesClaim) ?? claimOf(userInfo, rolesClaim)
    if (claim === undefined || claim === null) return undefined
    const roles = rolesOf(claim)
    if (roles !== 'odd') return roles
    log.warn({ claim: rolesClaim }, 'the claim of roles is neither text nor a list of texts, so it changes nothing')
    return undefined
  }

  return {
    id: '004_OIDC',
    name,
    client,
    scopes,
    issuer,
    async authorizeUrl(ask) {
      const metadata = await metadataOf(ask)
      return hasFailed(metadata) ? metadata : metadata.authorizeUrl
    },
    async identify(ask, { nonce, issuer: returned, ...grant }) {
      const metadata = await metadataOf(ask)
      if (hasFailed(metadata)) return metadata
      if (metadata.returnsIssuer && returned !== issuer) return trouble('the user returned without the issuer')
      const { tokenUrl, secretIn, algorithms } = metadata
      const tokens = await tokenFor(ask, { client, tokenUrl, secretIn }, grant)
      if (hasFailed(tokens)) return tokens
      if (tokens.idToken === undefined) return trouble(`${tokenUrl} answered without an ID token`)
      const expected = { issuer, clientId: client.id, nonce, algorithms, now: now() }
      const verified = await verifyIdToken(tokens.idToken, expected, (want) => keysOf(ask, metadata.keysUrl, want))
      if (hasFailed(verified)) return verified
      const { claims } = verified
      const { userUrl } = metadata
      const asks = userUrl !== undefined && isIncomplete(claims, rolesClaim)
      const userInfo = asks ? await userInfoOf(ask, userUrl, tokens.token, claims.sub) : { told: {} }
      if (hasFailed(userInfo)) return userInfo
      const roles = claimedRoles(claims, userInfo.told)
      return { ...identityOf(claims.sub, issuer, claims, userInfo.told), ...(roles && { roles }) }
    },
  }
}
