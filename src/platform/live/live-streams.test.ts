import { expect, onTestFinished, test, vi } from 'vitest'
import { seconds } from '../../shared/time.ts'
import type { LiveEvent } from './events.ts'
import { burstLimiter, type Row, recentEvents, rowOf } from './live-streams.ts'

function gate() {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const written: string[] = []
  const { write, close } = burstLimiter((text) => written.push(text))
  return { written, close, add: (row: Row) => write(row, row.id) }
}
const run = (id: string, act?: string): Row => ({ tool: 'keepalive', id, ...(act && { act }) })
const changes = (byTool: object) => `event: changes\ndata: ${JSON.stringify(byTool)}\n\n`

test('a few changes a second pass one by one', () => {
  const { written, add } = gate()
  for (const id of ['a', 'b', 'c', 'd', 'e']) add(run(id))
  vi.advanceTimersByTime(1_000)
  for (const id of ['f', 'g', 'h', 'i', 'j']) add(run(id))
  vi.advanceTimersByTime(1_000)
  expect(written.join('')).toBe('abcdefghij')
})

test('more than that are combined once a second into an event that names their tools', () => {
  const { written, add } = gate()
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'f']) add(run(id))
  add({ tool: 'ghmdinvalidator', id: 'x' })
  expect(written.join('')).toBe('abcde')
  vi.advanceTimersByTime(1_000)
  expect(written.slice(5)).toEqual([changes({ keepalive: { edited: false }, ghmdinvalidator: { edited: false } })])
  vi.advanceTimersByTime(5_000)
  expect(written).toHaveLength(6)
})

test('later ones are combined too, until there are none for a second', () => {
  const { written, add } = gate()
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) add(run(id))
  vi.advanceTimersByTime(1_000)
  add(run('g'))
  expect(written).toHaveLength(6)
  vi.advanceTimersByTime(1_000)
  expect(written.slice(6)).toEqual([changes({ keepalive: { edited: false } })])
  vi.advanceTimersByTime(1_000)
  add(run('h'))
  expect(written.at(-1)).toBe('h')
})

test('a combined event states whether any row was edited', () => {
  const { written, add } = gate()
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) add(run(id))
  add(run('g', 'changed'))
  add(run('h'))
  vi.advanceTimersByTime(1_000)
  expect(written.at(-1)).toBe(changes({ keepalive: { edited: true } }))
})

test('writes nothing after it is closed', () => {
  const { written, add, close } = gate()
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) add(run(id))
  close()
  vi.advanceTimersByTime(5_000)
  expect(written.join('')).toBe('abcde')
})

test('only run and entry events refer to a row', () => {
  const event = (type: LiveEvent['type'], data: unknown): LiveEvent => ({ type, to: {}, data })
  expect(rowOf(event('run', { tool: 't', id: 'a', run: {} }))).toEqual({ tool: 't', id: 'a' })
  expect(rowOf(event('entry', { tool: 't', id: 'a', act: 'created' }))).toEqual({ tool: 't', id: 'a', act: 'created' })
  expect(rowOf(event('notification', { tool: 't', id: 'a' }))).toBeUndefined()
  expect(rowOf(event('entry', { n: 1 }))).toBeUndefined()
})

function recent(most?: number) {
  let elapsed = 0
  const { add, forget, of } = recentEvents(() => elapsed, most)
  const after = (milliseconds: number) => {
    elapsed += milliseconds
  }
  return {
    after,
    forget,
    add: (data: unknown) => add({ type: 'run', to: { everyone: true }, data }),
    of: (time: number) => of(time)?.map(({ data }) => data),
  }
}

test('recent events are those of a time, in order, and none from before', () => {
  const { after, add, of } = recent()
  for (const n of [1, 2, 3]) {
    after(1_000)
    add(n)
  }
  expect([of(500), of(1_500), of(2_500)]).toEqual([[3], [2, 3], [1, 2, 3]])
})

test('recent events are unknown for a time from before the start', () => {
  const { after, of } = recent()
  after(1_000)
  expect([of(999), of(1_000)]).toEqual([[], undefined])
})

test('recent events are forgotten after ten seconds', () => {
  const { after, add, of } = recent()
  after(1)
  add('old')
  after(seconds(11))
  add('new')
  expect([of(seconds(10)), of(seconds(12))]).toEqual([['new'], undefined])
})

test('only the latest recent events are kept, and those of a time with dropped ones are unknown', () => {
  const { after, add, of } = recent(2)
  for (const n of [1, 2, 3]) {
    after(100)
    add(n)
  }
  expect([of(150), of(199), of(250)]).toEqual([[2, 3], [2, 3], undefined])
})

test('recent events are unknown for a time from before a gap', () => {
  const { after, add, forget, of } = recent()
  after(1_000)
  add('before')
  forget()
  after(100)
  add('after')
  after(100)
  expect([of(199), of(200)]).toEqual([['after'], undefined])
})
