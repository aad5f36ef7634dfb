import { createHmac, timingSafeEqual } from 'node:crypto'

/** Uses Better Auth's format: text, dot, base64 of its HMAC-SHA-256. */
export function signedCookie(name: string, secret: string, previousSecret: string | undefined) {
  const current = signer(secret)
  const previous = previousSecret === undefined ? undefined : signer(previousSecret)
  return {
    name,
    /** Returns the text in a cookie's value; undefined if we didn't sign it. */
    open: (value: string | undefined) => current.open(value) ?? previous?.open(value),
    /** Returns the cookie's value for a text, not yet encoded for a header. */
    sign: current.sign,
    /** Returns a Cookie header in which every cookie signed with the previous secret is signed with the current one. */
    renewSignatures: (header: string) =>
      previous === undefined
        ? header
        : header.replace(/([^\s=;]+)(?:=([^\s;]+))?/g, (cookie, named: string, value = '') => {
            const token = previous.open(decodeValue(value))
            return token === undefined ? cookie : `${named}=${encodeURIComponent(current.sign(token))}`
          }),
  }
}
export type SignedCookie = ReturnType<typeof signedCookie>

function signer(secret: string) {
  const mac = (token: string) => createHmac('sha256', secret).update(token).digest()
  return {
    sign: (token: string) => `${token}.${mac(token).toString('base64')}`,
    open(value: string | undefined): string | undefined {
      const dot = value?.lastIndexOf('.') ?? -1
      if (value === undefined || dot < 1) return undefined
      const token = value.slice(0, dot)
      const signature = Buffer.from(value.slice(dot + 1), 'base64')
      const wanted = mac(token)
      return signature.length === wanted.length && timingSafeEqual(signature, wanted) ? token : undefined
    },
  }
}

function decodeValue(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}
