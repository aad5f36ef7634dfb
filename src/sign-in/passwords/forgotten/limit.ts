import { createHash } from 'node:crypto'
import type { Context } from '../../../platform/context.ts'
import type { Queries } from '../../../platform/db/open.ts'
import { networksOf } from '../../../platform/net/networks.ts'
import { storedRateLimiter } from '../../limits/stored-rate-limit.ts'

/** What somebody hears who asks too often. */
export const tooManyForgotten = 'Too many password resets from your network. Try again in 15 minutes.'

/** How many may be asked for within a quarter of an hour from an address, and from the networks around it. */
const mostOfNetworks = [5, 15, 30]
/** The same over all networks from which nobody has ever signed in. */
const mostOfStrangers = 100

/**
 * Limits how often a link for a forgotten password is asked for. None of it depends on the email that is entered, which
 * would tell whether there is an account.
 */
export function forgottenLimit(context: Pick<Context, 'db' | 'now'>) {
  const ofNetworks = mostOfNetworks.map((most) =>
    storedRateLimiter(context, { most, refusal: 'Too many password resets from your network.' }),
  )
  const ofStrangers = storedRateLimiter(context, { most: mostOfStrangers, refusal: 'Too many password resets.' })
  /** Takes one for a request from this address. Throws a 429 if none is left. */
  return async (address: string): Promise<void> => {
    const networks = networksOf(address)
    const isKnown = await hasSignedIn(context.db.q, networks[0])
    if (!isKnown) await ofStrangers.assertRoom(keyOf('strangers'))
    for (const [n, network] of networks.entries()) await ofNetworks[n]?.take(keyOf('network', network))
    if (!isKnown) await ofStrangers.take(keyOf('strangers'))
  }
}

const keyOf = (...parts: string[]) => `forgotten:${createHash('sha256').update(parts.join('\n')).digest('hex')}`

/** Whether anybody has signed in from this network. */
async function hasSignedIn(q: Queries, network: string): Promise<boolean> {
  const known = q.selectFrom('known_network').select('last_at').where('network', '=', network).limit(1)
  return (await known.executeTakeFirst()) !== undefined
}
