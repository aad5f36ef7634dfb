import { expect, test } from 'vitest'
import type { Delivery } from '../contract.ts'
import { examples } from '../event/examples.ts'
import { attemptsText, eventName, sinceLabel, states } from './delivery-labels.ts'

const delivery = (state: Delivery['state'], receivedAt = 0): Delivery => ({
  id: `${receivedAt}`,
  eventId: 'event',
  resource: 'api:release',
  action: 'create',
  state,
  receivedAt,
  attempts: 1,
})
const many = (count: number, state: Delivery['state']) =>
  Array.from({ length: count }, (_, index) => delivery(state, 1_000 - index))

test.each([
  ['api:release', 'create', 'Release created'],
  ['api:addon-attachment', 'destroy', 'Add-on attachment removed'],
  ['dyno', 'update', 'Dyno state changed'],
  ['test', 'create', 'Test message'],
  ['api:log-drain', 'update', 'Log drain changed'],
  ['api:space', 'moved', 'Space moved'],
  ['constructor', 'toString', 'Constructor toString'],
])('%s and %s are shown as %s', (resource, action, words) => {
  expect(eventName({ resource, action })).toBe(words)
})

test('every state has a name and a meaning', () => {
  for (const { label, hint } of Object.values(states)) expect(`${label}: ${hint}`).toMatch(/^[A-Z]\w+: [A-Z]/)
})

test('attempts are shown if there were any, or will be', () => {
  expect(attemptsText({ state: 'delivered', attempts: 1 })).toBe('1 attempt')
  expect(attemptsText({ state: 'held', attempts: 4 })).toBe('4 attempts')
  expect(attemptsText({ state: 'accepted', attempts: 0 })).toBe('not tried yet')
  expect(attemptsText({ state: 'ignored', attempts: 0 })).toBeUndefined()
})

test('a replay since a time counts the deliveries delivered or held from then on', () => {
  const deliveries = (['accepted', 'delivered', 'ignored', 'held', 'collapsed', 'delivered'] as const).map(
    (state, index) => delivery(state, 1_000 - index),
  )
  const all = { deliveries, areAll: true }
  expect(sinceLabel(all, 0)).toBe('Replay 3')
  expect(sinceLabel(all, 997)).toBe('Replay 2')
  const newest = { deliveries: many(50, 'held'), areAll: false }
  expect(sinceLabel(newest, 0)).toBe('Replay 50 or more')
  expect(sinceLabel(newest, 991)).toBe('Replay 10')
})

test('every example has a unique title that begins with a capital letter', () => {
  const titles = examples.map(({ title }) => title)
  for (const title of titles) expect(title).toMatch(/^[A-Z]/)
  expect(new Set(titles).size).toBe(examples.length)
})
