import type { Filter } from './relay.ts'

export type Preset = Extract<Filter, { preset: unknown }>['preset']
export type Lists = Extract<Filter, { resources: unknown }>

export const presetLabels: Record<Preset, string> = {
  everything: 'Everything',
  deploysAndCrashes: 'Deploys and crashes',
  deploys: 'Deploys',
}
/** What a filter lets through. */
export const filterWords = (filter: Filter): string =>
  'preset' in filter
    ? presetLabels[filter.preset]
    : `Custom: ${[...filter.resources, ...filter.statuses].join(', ') || 'everything'}`

/** What may be subscribed to at Heroku, what people ask for most first. */
export const resources = [
  'api:release',
  'api:build',
  'dyno',
  'api:dyno',
  'api:formation',
  'api:app',
  'api:addon',
  'api:addon-attachment',
  'api:domain',
  'api:collaborator',
  'api:sni-endpoint',
  'api:ssl-endpoint',
]
/** What the events of those say of their status or state. */
export const statuses = [
  'pending',
  'succeeded',
  'failed',
  'expired',
  'starting',
  'up',
  'idle',
  'down',
  'crashed',
  'provisioning',
  'provisioned',
  'deprovisioned',
]

/** Where lists of one's own start from: about what the preset lets through. */
export const listsOf: Record<Preset, Lists> = {
  everything: { resources: [], statuses: [] },
  deploysAndCrashes: { resources: ['api:release', 'api:build', 'dyno'], statuses: ['succeeded', 'failed', 'crashed'] },
  deploys: { resources: ['api:release', 'api:build'], statuses: [] },
}
