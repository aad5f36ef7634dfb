import { expect, test } from 'vitest'
import { days, hours } from '../shared/time.ts'
import { backupVariables } from './config.ts'
import { outdated } from './make.ts'

const start = Date.UTC(2026, 0, 1, 12)
const keepOf = (text?: string) => backupVariables.parse({ ...(text && { BACKUP_KEEP: text }) }).backupKeep

/** What is left of a backup each so often, over so many times. */
function left(keep: ReturnType<typeof keepOf>, every: number, times: number) {
  let all: { time: number }[] = []
  for (let count = 0; count < times; count += 1) {
    all.push({ time: start + count * every })
    const gone = outdated(all, keep)
    all = all.filter((one) => !gone.includes(one))
  }
  return all.map(({ time }) => new Date(time).toISOString().slice(0, 13))
}

test('of a year of daily backups, those of seven days and of the last Sundays of the weeks before stay', () => {
  expect(left(keepOf(), days(1), 365)).toEqual([
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

test('of several a day the newest counts, unless hours are kept too, and months may be', () => {
  expect(left(keepOf('2d'), hours(6), 8)).toEqual(['2026-01-02T18', '2026-01-03T06'])
  expect(left(keepOf('3h,1d 2m'), hours(6), 200)).toEqual([
    '2026-01-31T18',
    '2026-02-19T18',
    '2026-02-20T00',
    '2026-02-20T06',
  ])
})

test('the newest stays, whatever is to be kept, and what is old stays while nothing newer comes', () => {
  expect(outdated([{ time: start }, { time: start - days(900) }], keepOf('0d'))).toEqual([{ time: start - days(900) }])
  expect(outdated([{ time: start - days(900) }, { time: start - days(800) }], keepOf('7d4w'))).toEqual([])
})

test.each([
  ['0', 0],
  ['12h', hours(12)],
])('BACKUP_EVERY=%s is understood', (text, expected) => {
  expect(backupVariables.parse({ BACKUP_EVERY: text }).backupEvery).toBe(expected)
  expect(() => backupVariables.parse({ BACKUP_EVERY: `${text}x` })).toThrow('or 0 for no backups')
})

test.each(['7', 'd7', '7d4x', '7d;4w', '-1d'])('%s says nothing of what to keep', (text) => {
  expect(() => keepOf(text)).toThrow('such as 7d4w')
})
