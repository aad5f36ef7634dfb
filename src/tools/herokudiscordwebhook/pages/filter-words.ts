import type { Filter } from './relay.ts'

export type Preset = Extract<Filter, { preset: unknown }>['preset']
export type Lists = Extract<Filter, { resources: unknown }>

export const presetLabels: Record<Preset, string> = {
  everything: 'Everything',
  deploysAndCrashes: 'Deploys and crashes',
  deploys: 'Deploys',
}

/** What a filter allows. */
export const filterWords = (filter: Filter): string =>
  'preset' in filter
    ? presetLabels[filter.preset]
    : `Custom: ${[...filter.resources, ...filter.statuses].join(', ') || 'everything'}`

/** What can be subscribed to at Heroku, the most popular first. */
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
/** The statuses and states of those events. */
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

/** The lists to start from when a preset becomes custom: about what it allows. */
export const listsOf: Record<Preset, Lists> = {
  everything: { resources: [], statuses: [] },
  deploysAndCrashes: { resources: ['api:release', 'api:build', 'dyno'], statuses: ['succeeded', 'failed', 'crashed'] },
  deploys: { resources: ['api:release', 'api:build'], statuses: [] },
}
