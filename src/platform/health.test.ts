import { expect, test } from 'vitest'
import { seconds } from '../shared/time.ts'
import { createHealth } from './health.ts'

function watched() {
  let at = 0
  const health = createHealth(() => at)
  const pass = (ms: number) => {
    at += ms
  }
  return { health, pass, worker: health.watch('worker'), other: health.watch('worker') }
}

test('an activity with work to do is stalled after 15 s without progress, until it makes some', () => {
  const { health, pass, worker } = watched()
  worker.begin()
  pass(seconds(10))
  worker.begin()
  expect(health.stalledActivity()).toBeUndefined()
  pass(seconds(5))
  expect(health.stalledActivity()).toBe('worker')
  worker.progress()
  expect(health.stalledActivity()).toBeUndefined()
})

test('an idle activity is never stalled, and progress of one activity does not count for another', () => {
  const { health, pass, worker, other } = watched()
  worker.begin()
  other.begin()
  other.progress()
  pass(seconds(15))
  other.progress()
  expect(health.stalledActivity()).toBe('worker')
  worker.progress()
  pass(seconds(100))
  expect(health.stalledActivity()).toBeUndefined()
})
