import type { Ask, Failed } from './ask.ts'

/** Somebody as a provider knows them; `email` is undefined when it names none that can be used. */
export type Identity = {
  accountId: string
  username: string
  name: string
  email: { address: string; verified: boolean } | undefined
}

/** An external provider people may sign in with: its id in the links of users, its label, where it lives and how it says who somebody is. */
export type Provider = {
  id: string
  name: string
  client: { id: string; secret: string }
  scopes: readonly string[]
  authorizeUrl: string
  tokenUrl: string
  identityOf(ask: Ask, token: string): Promise<Identity | Failed>
}
