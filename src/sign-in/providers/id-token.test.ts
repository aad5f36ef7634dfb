import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { verifyIdToken } from './openid.ts'

test('an ID token must be signed with an algorithm that its provider announces', async () => {
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
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kty: 'EC' }] }
  const verify = (algorithms: string[]) => {
    const expected = { issuer: 'https://id.example.com', clientId: 'me', nonce: 'n', now }
    return verifyIdToken(idToken, expected, async () => ({ keys, algorithms, userAlgorithms: [] }))
  }
  expect(await verify(['RS256', 'ES256'])).toMatchObject({ claims: { sub: 's' } })
  expect(await verify(['RS256'])).toEqual({ failed: 'trouble', note: expect.stringContaining('"alg"') })
})
