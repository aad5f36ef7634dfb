import type { HerokuEvent } from './event.ts'

/** What an entry relays. An empty list means all resources or statuses. */
export type Filter =
  | { preset: 'everything' | 'deploysAndCrashes' | 'deploys' }
  | { resources: readonly string[]; statuses: readonly string[] }

type Verdict = { relay: true } | { relay: false; why: string }

const deployed = new Set(['api:build', 'api:release'])
const isDeploy = ({ entity }: HerokuEvent) => deployed.has(entity)
const isCrash = ({ entity, status }: HerokuEvent) => /^(?:api:)?dyno$/.test(entity) && status === 'crashed'

const presets = {
  everything: { allows: () => true, named: 'everything' },
  deploys: { allows: isDeploy, named: 'deploys' },
  deploysAndCrashes: {
    allows: (event: HerokuEvent) => isDeploy(event) || isCrash(event),
    named: 'deploys and crashes',
  },
}

const relayed: Verdict = { relay: true }
const dropped = (why: string): Verdict => ({ relay: false, why })

/** Whether an event is relayed to the channel, and if not, why. */
export function verdictOf(filter: Filter, event: HerokuEvent): Verdict {
  if ('preset' in filter) {
    const { allows, named } = presets[filter.preset]
    return allows(event) ? relayed : dropped(`the filter only allows ${named}`)
  }
  const { resources, statuses } = filter
  if (resources.length > 0 && !resources.includes(event.entity)) return dropped(`the filter excludes ${event.entity}`)
  if (statuses.length === 0 || statuses.includes(event.status ?? '')) return relayed
  if (event.status === undefined)
    return dropped(`the filter requires the status ${listed(statuses)}, and this event has none`)
  return dropped(`the filter excludes the status ${event.status}`)
}

const listed = (words: readonly string[]) => words.join(' or ')
