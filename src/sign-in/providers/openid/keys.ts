import type { JSONWebKeySet } from 'jose'
import * as z from 'zod/mini'
import { type Instant, type Milliseconds, minutes } from '../../../shared/time.ts'
import { type Ask, type Failed, hasFailed, trouble } from '../ask.ts'

/** So long at most does a key count that its provider has withdrawn. */
const freshFor: Milliseconds = minutes(10)

// RFC 7517; what the members of a key mean is for the library to say.
const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })

/** A provider's keys; `isFresh` if they have just been fetched. */
export type Keys = { set: JSONWebKeySet; isFresh: boolean }
export type KeysOf = (ask: Ask, url: string, want: 'any' | 'fresh') => Promise<Keys | Failed>

/** Fetches the keys of a provider, and keeps them for a while. */
export function keyStore(elapsed: () => Instant): KeysOf {
  let kept: { at: Instant; url: string; set: JSONWebKeySet } | undefined
  return async (ask, url, want) => {
    if (want === 'any' && kept?.url === url && elapsed() - kept.at < freshFor) return { set: kept.set, isFresh: false }
    const answer = await ask(url, KeySet, { tries: 2 })
    if (hasFailed(answer)) return answer
    if (answer.status !== 200) return trouble(`${url} answered ${answer.status}`)
    kept = { at: elapsed(), url, set: answer.value }
    return { set: kept.set, isFresh: true }
  }
}
