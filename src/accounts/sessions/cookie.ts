import { createHmac, timingSafeEqual } from 'node:crypto'

/** Reads and writes the signed cookie that holds a session's token. */
export type SessionCookie = {
  name: string
  /** Returns the token in a cookie's value; undefined if we didn't sign it. */
  open(value: string | undefined): string | undefined
  /** Returns the cookie's value for a token, not yet encoded for a header. */
  sign(token: string): string
}

/** Uses Better Auth's format: token, dot, base64 of its HMAC-SHA-256. */
export function sessionCookie(name: string, secret: string): SessionCookie {
  const mac = (token: string) => createHmac('sha256', secret).update(token).digest()
  return {
    name,
    open(value) {
      const dot = value?.lastIndexOf('.') ?? -1
      if (value === undefined || dot < 1) return undefined
      const token = value.slice(0, dot)
      const given = Buffer.from(value.slice(dot + 1), 'base64')
      const wanted = mac(token)
      return given.length === wanted.length && timingSafeEqual(given, wanted) ? token : undefined
    },
    sign: (token) => `${token}.${mac(token).toString('base64')}`,
  }
}
