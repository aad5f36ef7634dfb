/** Encryption at rest with the key of APP_SECRET. */
export type Secrets = {
  /** Authenticated encryption; the answer is text and differs each time. */
  seal(plain: string): string
  /** Throws when the text was not sealed with this APP_SECRET. */
  open(sealed: string): string
}
