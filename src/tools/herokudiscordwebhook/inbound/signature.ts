import { createHmac, timingSafeEqual } from 'node:crypto'

/** What Heroku sends as Heroku-Webhook-Hmac-SHA256 with this body, in base64. */
export const signatureOf = (secret: string, body: Uint8Array): string =>
  createHmac('sha256', secret).update(body).digest('base64')

/** Whether one of these secrets signed these bytes; takes equally long for a wrong signature. */
export function isSigned(secrets: readonly string[], body: Uint8Array, signature: string): boolean {
  const given = Buffer.from(signature)
  const expected = secrets.map((secret) => Buffer.from(signatureOf(secret, body)))
  return expected.filter((one) => one.length === given.length && timingSafeEqual(one, given)).length > 0
}
