import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { verifyIdToken } from './openid.ts'

test('an ID token is signed by an algorithm that its provider has announced', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const now = Date.now()
  const idToken = await new SignJWT({ nonce: 'n' })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer('https://id.example.com')
    .setAudience('me')
    .setSubject('s')
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey)
  const set = { keys: [{ ...(await exportJWK(publicKey)), kty: 'EC' }] }
  const verify = (algorithms: string[]) => {
    const expected = { issuer: 'https://id.example.com', clientId: 'me', nonce: 'n', algorithms, now }
    return verifyIdToken(idToken, expected, async () => ({ set, isFresh: true }))
  }
  expect(await verify(['RS256', 'ES256'])).toMatchObject({ claims: { sub: 's' } })
  expect(await verify(['RS256'])).toEqual({ failed: 'trouble', note: expect.stringContaining('"alg"') })
})
