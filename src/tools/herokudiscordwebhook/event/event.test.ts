import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventOf, parsed, payloadOf } from '../../../../test/support/scenes/relay/example-events.ts'
import { dropReason, type Filter, parseEvent } from './event.ts'
import { examples } from './examples.ts'

/** An event of which nothing but its id and its resource is known. */
const bareEvent = { id: 'e-1', action: 'unknown', actor: null, app: {}, publishedAt: null, data: {}, previous: {} }

describe('an event', () => {
  test('is parsed into its app, entity, action, status, actor and time', () => {
    const { data: _, ...event } = eventOf('release-succeeded')
    expect(event).toEqual({
      id: payloadOf('release-succeeded').id,
      entity: 'api:release',
      action: 'update',
      actor: { email: 'ada@lantern.example' },
      app: { id: expect.stringMatching(/^[\da-f-]{36}$/), name: 'lantern-api' },
      status: 'succeeded',
      publishedAt: Date.UTC(2026, 2, 14, 9, 23, 57, 904),
      previous: { status: 'pending', current: false },
    })
  })

  test('of a dyno’s state is distinguished from an API dyno event by its subscription', () => {
    expect(eventOf('dyno-up').entity).toBe('dyno')
    expect(eventOf('api-dyno-create').entity).toBe('api:dyno')
    expect(parsed(payloadOf('dyno-up', { webhook_metadata: null })).entity).toBe('api:dyno')
  })

  test('takes a missing id and resource from the subscription', () => {
    const bare = { webhook_metadata: { event: { id: 'e-1', include: 'api:release' } } }
    expect(parseEvent(bare)).toEqual({ ...bareEvent, entity: 'api:release' })
  })

  test('keeps unknown fields', () => {
    expect(parsed(payloadOf('build-failed', { data: { moon: { phase: 1 } } })).data).toEqual({ moon: { phase: 1 } })
  })

  test('takes the state of a dyno or an add-on as its status', () => {
    const statuses = ['dyno-crashed', 'addon-create', 'app-create'].map((name) => eventOf(name).status)
    expect(statuses).toEqual(['crashed', 'provisioning', undefined])
  })
})

test.each([
  ['2026-03-14T09:26:53Z', Date.UTC(2026, 2, 14, 9, 26, 53)],
  ['2026-03-14T09:26:53+00:00', Date.UTC(2026, 2, 14, 9, 26, 53)],
  ['2026-03-14T11:26:53+02:00', Date.UTC(2026, 2, 14, 9, 26, 53)],
  ['2026-03-14T09:26:53.123456Z', Date.UTC(2026, 2, 14, 9, 26, 53, 123)],
  ['2026-02-31T09:26:99Z', null],
  ['0000-01-01T00:00:00Z', null],
  ['9999-12-31T23:59:59-23:59', null],
  ['yesterday', null],
  ['5', null],
  [5, null],
])('the date %s is parsed as %s', (published_at, at) => {
  expect(parsed(payloadOf('app-create', { published_at, created_at: null, updated_at: null })).publishedAt).toBe(at)
})

test('an event without a publication date has the time of its update', () => {
  expect(eventOf('build-succeeded').publishedAt).toBe(Date.UTC(2026, 2, 14, 9, 23, 14))
})

test.each([
  [null, 'not a JSON object'],
  ['text', 'not a JSON object'],
  [[], 'not a JSON object'],
  [{}, 'no ID'],
  [{ id: 'e-1' }, 'no resource'],
  [{ id: 'a\u0000b', resource: 'build' }, 'no ID'],
  [{ id: 'x'.repeat(201), resource: 'build' }, 'no ID'],
  [{ id: 'e-1', resource: 'x'.repeat(101) }, 'no resource'],
  [{ id: 'e-1', resource: 'what is this?' }, 'no resource'],
])('%o is rejected: %s', (raw, why) => {
  expect(parseEvent(raw)).toEqual({ problem: expect.stringContaining(why) })
})

test('fields of the wrong type are ignored', () => {
  const wrong = { action: 1, actor: 'me', data: [], previous_data: 'x', published_at: {}, webhook_metadata: 7 }
  expect(parseEvent({ id: 'e-1', resource: 'build', ...wrong })).toEqual({ ...bareEvent, entity: 'api:build' })
})

test('any JSON value is parsed as an event or a problem', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (raw) => {
      const event = parseEvent(raw)
      expect('problem' in event ? event.problem : event.id).toBeTypeOf('string')
    }),
  )
})

const relayedBy = (filter: Filter) =>
  examples.filter(({ payload }) => dropReason(filter, parsed(payload)) === null).map(({ name }) => name)
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
  expect(dropReason({ preset: 'deploysAndCrashes' }, crashed)).toBeNull()
})

test("a resource may be named as in Heroku's events, without the prefix of its subscription", () => {
  expect(relayedBy({ resources: ['build', 'release'], statuses: [] })).toEqual(deploys)
})

test('both the resource and the status must be among the chosen ones', () => {
  const resources = ['api:build', 'api:release', 'dyno']
  expect(relayedBy({ resources, statuses: ['failed', 'crashed'] })).toEqual([
    'build-failed',
    'release-failed',
    'dyno-crashed',
  ])
})

test('an empty list excludes nothing', () => {
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

test.each(reasons)('%o drops %s: %s', (filter, name, why) => {
  expect(dropReason(filter, eventOf(name))).toBe(why)
})
