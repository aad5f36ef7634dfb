/** A new secret, as hard to guess as those that the server makes up. */
export const madeUpSecret = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, '0')).join('')
