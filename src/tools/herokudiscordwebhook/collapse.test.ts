import { describe, expect, test } from 'vitest'
import { eventOf, parsed, withData } from '../../../test/support/scenes/relay/example-events.ts'
import { collapseKeyOf as keyWithin } from './accept.ts'
import type { HerokuEvent } from './event/event.ts'
import { examples } from './event/examples.ts'

const collapseKeyOf = (event: HerokuEvent) => keyWithin(event, 'an entry')
const keyOf = (name: string, fields: Record<string, unknown> = {}) => collapseKeyOf(withData(name, fields))

describe('an event that Heroku resends with another id', () => {
  test.each(examples)('has the same key: $name', ({ payload }) => {
    const event = parsed(payload)
    expect(collapseKeyOf(event)).toBeDefined()
    expect(collapseKeyOf({ ...event, id: 'another', publishedAt: 5 })).toBe(collapseKeyOf(event))
  })
})

test('all examples have different keys', () => {
  const keys = examples.map(({ payload }) => collapseKeyOf(parsed(payload)))
  expect(new Set(keys).size).toBe(examples.length)
})

test('a release that is created and then updated with the same status keeps its key', () => {
  const event = eventOf('release-succeeded')
  expect(collapseKeyOf({ ...event, action: 'create', previous: {} })).toBe(collapseKeyOf(event))
})

test.each([
  ['id', { id: 'another' }],
  ['status', { status: 'failed' }],
  ['version', { version: 99 }],
])('a different %s gives a different key', (_what, fields) => {
  expect(keyOf('release-succeeded', fields)).not.toBe(keyOf('release-succeeded'))
})

test('two changes that keep the status have different keys', () => {
  const changed = (quantity: number, from: number) =>
    collapseKeyOf({ ...withData('formation-update', { quantity }), previous: { quantity: from } })
  expect(changed(2, 1)).not.toBe(changed(3, 2))
  const domain = eventOf('domain-create')
  expect(collapseKeyOf({ ...domain, action: 'destroy' })).not.toBe(collapseKeyOf(domain))
})

test('the same event has different keys in two entries', () => {
  const event = eventOf('release-succeeded')
  expect(keyWithin(event, 'another entry')).not.toBe(collapseKeyOf(event))
})

test('an event that cannot be compared has no key', () => {
  expect(keyOf('release-succeeded', { id: null })).toBeUndefined()
  expect(keyOf('build-failed', { status: null })).toBeUndefined()
  expect(keyOf('app-create', { id: 5 })).toBeUndefined()
})
