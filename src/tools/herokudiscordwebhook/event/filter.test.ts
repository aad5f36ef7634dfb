import { expect, test } from 'vitest'
import { examples } from './examples/examples.ts'
import { eventOf, parsed } from './examples/test-event.ts'
import { type Filter, verdictOf } from './filter.ts'

const relayedBy = (filter: Filter) =>
  examples.filter(({ payload }) => verdictOf(filter, parsed(payload)).relay).map(({ name }) => name)
const deploys = examples.map(({ name }) => name).filter((name) => /^(build|release)-/.test(name))

test('the preset for everything selects every event', () => {
  expect(relayedBy({ preset: 'everything' })).toHaveLength(examples.length)
})

test('the preset for deploys selects builds and releases, whatever their outcome', () => {
  expect(deploys.length).toBeGreaterThan(6)
  expect(relayedBy({ preset: 'deploys' })).toEqual(deploys)
})

test('the preset for deploys and crashes selects deploys and each dyno that crashes', () => {
  expect(relayedBy({ preset: 'deploysAndCrashes' })).toEqual([...deploys, 'dyno-crashed'])
  const crashed = eventOf('dyno-crashed', { entity: 'api:dyno' })
  expect(verdictOf({ preset: 'deploysAndCrashes' }, crashed)).toEqual({ relay: true })
})

test('resources and statuses both have to be among the chosen ones', () => {
  const resources = ['api:build', 'api:release', 'dyno']
  expect(relayedBy({ resources, statuses: ['failed', 'crashed'] })).toEqual([
    'build-failed',
    'release-failed',
    'dyno-crashed',
  ])
})

test('an empty choice excludes nothing', () => {
  expect(relayedBy({ resources: [], statuses: [] })).toHaveLength(examples.length)
  expect(relayedBy({ resources: ['api:domain'], statuses: [] })).toHaveLength(3)
  expect(relayedBy({ resources: [], statuses: ['failed'] })).toEqual([
    'build-failed',
    'release-failed',
    'domain-failed',
  ])
})

const reasons: [Filter, string, string][] = [
  [{ preset: 'deploys' }, 'dyno-crashed', 'the filter only allows deploys'],
  [{ preset: 'deploysAndCrashes' }, 'dyno-up', 'the filter only allows deploys and crashes'],
  [{ resources: ['api:build'], statuses: [] }, 'app-create', 'the filter excludes api:app'],
  [{ resources: [], statuses: ['failed'] }, 'build-pending', 'the filter excludes the status pending'],
  [
    { resources: [], statuses: ['failed', 'crashed'] },
    'app-create',
    'the filter requires the status failed or crashed, and this event has none',
  ],
]

test.each(reasons)('%o says of %s: %s', (filter, name, why) => {
  expect(verdictOf(filter, eventOf(name))).toEqual({ relay: false, why })
})
