import type { HerokuEvent } from './event/event.ts'

/** What an entry lets through. An empty list of resources or statuses stands for all of them. */
export type Filter =
  | { preset: 'everything' | 'deploysAndCrashes' | 'deploys' }
  | { resources: readonly string[]; statuses: readonly string[] }

export type Verdict = { relay: true } | { relay: false; why: string }

const deployed = new Set(['api:build', 'api:release'])
const isDeploy = ({ entity }: HerokuEvent) => deployed.has(entity)
const isCrash = ({ entity, status }: HerokuEvent) => /^(?:api:)?dyno$/.test(entity) && status === 'crashed'

const presets = {
  everything: { lets: () => true, named: 'everything' },
  deploys: { lets: isDeploy, named: 'deploys' },
  deploysAndCrashes: {
    lets: (event: HerokuEvent) => isDeploy(event) || isCrash(event),
    named: 'deploys and crashes',
  },
}

const relayed: Verdict = { relay: true }
const dropped = (why: string): Verdict => ({ relay: false, why })

/** Whether an event goes on to the channel, and if not, why in words. */
export function verdictOf(filter: Filter, event: HerokuEvent): Verdict {
  if ('preset' in filter) {
    const { lets, named } = presets[filter.preset]
    return lets(event) ? relayed : dropped(`the filter only allows ${named}`)
  }
  const { resources, statuses } = filter
  if (resources.length > 0 && !resources.includes(event.entity)) return dropped(`the filter excludes ${event.entity}`)
  if (statuses.length === 0 || statuses.includes(event.status ?? '')) return relayed
  if (event.status === undefined)
    return dropped(`the filter requires the status ${listed(statuses)}, and this event has none`)
  return dropped(`the filter excludes the status ${event.status}`)
}

const listed = (words: readonly string[]) => words.join(' or ')
