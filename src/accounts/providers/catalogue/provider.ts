import type { Ask, Failed } from './ask.ts'

/** A user's account at a provider; `email` is undefined if there is none that we can use. */
export type Identity = {
  accountId: string
  username: string
  name: string
  email: { address: string; verified: boolean } | undefined
}

/** An external sign-in provider: the id that users' links refer to, its label, its URLs and how it identifies a user. */
export type Provider = {
  id: string
  name: string
  client: { id: string; secret: string }
  scopes: readonly string[]
  authorizeUrl: string
  tokenUrl: string
  identityOf(ask: Ask, token: string): Promise<Identity | Failed>
}
