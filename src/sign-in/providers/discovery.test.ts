import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startFakeOpenId } from '../../../test/support/fakes/fake-openid.ts'
import { testOutbound } from '../../../test/support/outbound-client.ts'
import { hours } from '../../shared/time.ts'
import { createAsk } from './ask.ts'
import { discovery } from './openid.ts'

const path = '/.well-known/openid-configuration'

describe('the discovery document', async () => {
  let at = 0
  const out = testOutbound()
  const ask = createAsk(out, 20_000)
  const hurried = createAsk(out, 400)
  const fake = await startFakeOpenId()
  afterAll(async () => {
    await out.close()
    await fake.close()
  })
  beforeEach(() => {
    fake.behave()
    fake.mode('works')
  })
  const read = () => discovery(fake.url, () => at)(ask)
  const failed = (note: string) => ({ failed: 'trouble', note: expect.stringContaining(note) })

  test('is fetched once for concurrent callers, again after an hour, and kept if that fails', async () => {
    const metadataOf = discovery(fake.url, () => at)
    const before = fake.requestCount(path)
    const [one, other] = await Promise.all([metadataOf(ask), metadataOf(ask)])
    expect(one).toEqual({
      authorizeUrl: `${fake.url}/authorize`,
      tokenUrl: `${fake.url}/token`,
      keysUrl: `${fake.url}/keys`,
      userUrl: `${fake.url}/userinfo`,
      secretIn: 'header',
      algorithms: ['RS256', 'ES256'],
      userAlgorithms: ['RS256', 'ES256'],
      returnsIssuer: false,
    })
    expect(other).toBe(one)
    await metadataOf(ask)
    expect(fake.requestCount(path)).toBe(before + 1)
    at += hours(1)
    await metadataOf(ask)
    expect(fake.requestCount(path)).toBe(before + 2)
    at += hours(1)
    fake.mode('broken', 'document')
    expect(await metadataOf(ask)).toMatchObject({ tokenUrl: `${fake.url}/token` })
  })

  test('is requested twice before it counts as broken, and again by the next caller', async () => {
    const metadataOf = discovery(fake.url, () => at)
    const before = fake.requestCount(path)
    fake.mode('broken', 'document')
    expect(await metadataOf(ask)).toEqual(failed('answered 500'))
    expect(fake.requestCount(path)).toBe(before + 2)
    fake.mode('slow', 'document')
    expect(await metadataOf(hurried)).toEqual(failed('timeout'))
    fake.mode('garbage', 'document')
    expect(await metadataOf(ask)).toEqual(failed('undocumented'))
    fake.mode('works')
    expect(await metadataOf(ask)).toHaveProperty('tokenUrl')
  })

  test('must name exactly the configured issuer', async () => {
    for (const issuer of [`${fake.url}/`, 'https://evil.example.com']) {
      fake.behave({ document: { issuer } })
      expect(await read()).toEqual(failed(`for the issuer ${issuer}`))
    }
  })

  test('must not name endpoints with unsafe URLs', async () => {
    const names = ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint']
    for (const name of names)
      for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'https://a:b@example.com/', 'nothing']) {
        fake.behave({ document: { [name]: url } })
        expect(await read(), name).toEqual(failed(url))
      }
  })

  test('must name an asymmetric signature algorithm and a supported way to send the secret', async () => {
    fake.behave({ document: { id_token_signing_alg_values_supported: ['HS256', 'none'] } })
    expect(await read()).toEqual(failed('no accepted algorithm'))
    fake.behave({ document: { token_endpoint_auth_methods_supported: ['private_key_jwt'] } })
    expect(await read()).toEqual(failed('client_secret_basic'))
    fake.behave({ document: { token_endpoint_auth_methods_supported: undefined } })
    expect(await read()).toMatchObject({ secretIn: 'header' })
    fake.behave({ secretIn: 'form' })
    expect(await read()).toMatchObject({ secretIn: 'form' })
  })
})

test('an https issuer must not name an http endpoint', async () => {
  const issuer = 'https://id.example.com/a/'
  const requestedUrls: string[] = []
  const document = (token_endpoint: string) => ({
    issuer,
    authorization_endpoint: `${issuer}authorize`,
    token_endpoint,
    jwks_uri: `${issuer}keys`,
  })
  const read = (token: string) => {
    const answer: Pick<ReturnType<typeof testOutbound>, 'request'> = {
      async request(url) {
        requestedUrls.push(url)
        const body = new TextEncoder().encode(JSON.stringify(document(token)))
        return { answered: true, status: 200, headers: {}, body, url, duration: 1 }
      },
    }
    return discovery(issuer, () => 0)(createAsk(answer, 1_000))
  }
  expect(await read('http://id.example.com/token')).toHaveProperty('failed')
  expect(await read('https://token.example.com/')).toMatchObject({ algorithms: ['RS256'], userUrl: undefined })
  expect(requestedUrls[0]).toBe('https://id.example.com/a/.well-known/openid-configuration')
})
