import { expect, test } from 'vitest'
import { days, hours } from '../shared/time.ts'
import { backupVariables } from './config.ts'
import { selectOutdated } from './make.ts'

const start = Date.UTC(2026, 0, 1, 12)
const keepOf = (text?: string) => backupVariables.parse({ ...(text && { BACKUP_KEEP: text }) }).backupKeep

/** The times of the backups left after making this many at this interval, with a cleanup after each. */
function remaining(keep: ReturnType<typeof keepOf>, every: number, times: number) {
  let all: { time: number }[] = []
  for (let count = 0; count < times; count += 1) {
    all.push({ time: start + count * every })
    const outdated = selectOutdated(all, keep)
    all = all.filter((one) => !outdated.includes(one))
  }
  return all.map(({ time }) => new Date(time).toISOString().slice(0, 13))
}

test('by default, keeps the last seven daily backups and the newest of each of the last four weeks', () => {
  expect(remaining(keepOf(), days(1), 365)).toEqual([
    '2026-12-13T12',
    '2026-12-20T12',
    '2026-12-25T12',
    '2026-12-26T12',
    '2026-12-27T12',
    '2026-12-28T12',
    '2026-12-29T12',
    '2026-12-30T12',
    '2026-12-31T12',
  ])
})

test('keeps the newest backup of each day, plus hourly and monthly ones when configured', () => {
  expect(remaining(keepOf('2d'), hours(6), 8)).toEqual(['2026-01-02T18', '2026-01-03T06'])
  expect(remaining(keepOf('3h,1d 2m'), hours(6), 200)).toEqual([
    '2026-01-31T18',
    '2026-02-19T18',
    '2026-02-20T00',
    '2026-02-20T06',
  ])
})

test('always keeps the newest backup, and keeps old ones until newer ones replace them', () => {
  expect(selectOutdated([{ time: start }, { time: start - days(900) }], keepOf('0d'))).toEqual([
    { time: start - days(900) },
  ])
  expect(selectOutdated([{ time: start - days(900) }, { time: start - days(800) }], keepOf('7d4w'))).toEqual([])
})

test.each([
  ['0', 0],
  ['12h', hours(12)],
])('accepts BACKUP_EVERY=%s, but no trailing characters', (text, expected) => {
  expect(backupVariables.parse({ BACKUP_EVERY: text }).backupEvery).toBe(expected)
  expect(() => backupVariables.parse({ BACKUP_EVERY: `${text}x` })).toThrow('or 0 for no backups')
})

test.each(['7', 'd7', '7d4x', '7d;4w', '-1d'])('rejects BACKUP_KEEP=%s', (text) => {
  expect(() => keepOf(text)).toThrow('such as 7d4w')
})
