import * as z from 'zod/mini'
import { searchColumn } from '../../entries/list/columns.ts'
import { entryToolServer, type Outcome } from '../../entries/tool-server.ts'
import { isUnreachable } from '../../platform/net/failure.ts'
import type { OutboundAnswer } from '../../platform/net/outbound.ts'
import { needsLookUp } from '../../platform/net/reach.ts'
import { invalid } from '../../shared/http-error.ts'
import { quietUntil } from '../../shared/quiet-until.ts'
import { minutes, seconds } from '../../shared/time.ts'
import { type KeepaliveConfig, keepaliveVariables } from './config.ts'
import { keepalive } from './contract.ts'
import { hostRoutes } from './hosts/routes.ts'
import { everyOf } from './hosts/terms/interval.ts'
import { unwoken } from './hosts/unwoken.ts'
import { quietTurns } from './requests/quiet-turns.ts'
import { secrets } from './requests/secrets.ts'

const redirects = 5
/** With a shorter interval the next turn is as near as a second attempt. */
const shortestRetried = minutes(5)
/** The statuses of a host that is waking up. */
const wakingUp = [502, 503, 504]

const Paced = z.pick(keepalive.Settings, { url: true, interval: true })

const defaultInterval = (config: KeepaliveConfig) => config.keepaliveEvery

export const server = entryToolServer<typeof keepalive, KeepaliveConfig>({
  contract: keepalive,
  variables: keepaliveVariables,
  // Never the query, which may hold a key.
  about: ({ url }) => url.replace(/^\w+:\/\/|[?#].*$/g, '').replace(/\/$/, ''),

  async validate({ url }, { outbound, visitLimits }, before, user) {
    const take = () => url !== before?.url && visitLimits.takeUrl(user.id)
    // Asking a name server counts as a visit; refusing without that does not.
    const isLookedUp = needsLookUp(new URL(url))
    if (isLookedUp) take()
    const why = await outbound.refuse(url, user.id)
    if (why) throw invalid('url', why)
    if (!isLookedUp) take()
  },

  secrets,
  show: (stored, { config }) => ({
    every: everyOf(Paced.parse(stored), config.keepaliveEvery) / minutes(1),
  }),

  routes: hostRoutes,
  listColumns: () => ({ url: searchColumn }),

  // A turn that waits for the end of quiet hours waits for a time of the clock, however it is set.
  shift: async (entryIds, _by, tx, { db, jobs }) => jobs.resume(await quietTurns(db, entryIds, tx), tx),

  schedule: {
    defaultInterval,
    every: (settings, config) => everyOf(settings, defaultInterval(config)),
    subject: ({ url }) => url,
    earliest: ({ quiet }, at) => (quiet === null ? at : (quietUntil(quiet, at) ?? at)),
    target: ({ url }) => new URL(url).host,
    retries: (every) => every >= shortestRetried,
    perform: async ({ url }, { outbound, config }, { visitor }) =>
      outcomeOf(url, await outbound.request(url, { visitor, timeout: config.keepaliveTimeout, redirects })),
  },
})

/** A final status below 400 is a success; the note of a failure says why. */
function outcomeOf(url: string, answer: OutboundAnswer): Outcome {
  const duration = Math.round(answer.duration)
  if (answer.answered) {
    const { status } = answer
    const asleep = unwoken([url, answer.url], status)
    if (asleep) return { success: false, duration, count: status, note: asleep }
    if (status < 400) return { success: true, duration, count: status }
    const note = `answered ${status}`
    return { success: false, duration, count: status, note, transient: wakingUp.includes(status) }
  }
  if (answer.wait !== undefined) return { again: answer.wait, crowded: true }
  if (answer.failure === 'internal') return { again: seconds(30), why: answer.note }
  return {
    success: false,
    duration,
    note: answer.note,
    transient: answer.failure === 'dns' || answer.failure === 'connect',
    unreachable: isUnreachable(answer.failure),
  }
}
