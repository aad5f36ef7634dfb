import { expect, test } from 'vitest'
import { sumUp } from './sum-up.ts'
import { briefly, sortSkipped, type Tally } from './tally.ts'

const tally = (more: Partial<Tally> = {}): Tally => ({ passed: 3, failed: [], unsteady: [], notTried: [], ...more })
const wavering = tally({ unsteady: [{ test: 'src/a.test.ts > on sqlite > it works', why: 'Error: late' }] })
const entry = { file: 'src/a.test.ts', test: 'on sqlite > it works', date: '2026-11-22', reason: 'a race in the fake' }
const last = (lines: readonly string[]) => lines.at(-1)?.trim()

test('a run in which everything passed on the first try is green', () => {
  const { lines, failed } = sumUp([tally(), tally()], [])
  expect([failed, lines]).toEqual([0, ['\n6 passed, 0 failed']])
})

test('a test that passes only on its second try fails the run and is listed', () => {
  const { lines, failed } = sumUp([tally(), wavering], [])
  expect([failed, last(lines)]).toEqual([1, '6 passed, 1 failed'])
  expect(lines.join('\n')).toContain('- src/a.test.ts > on sqlite > it works\n    Error: late')
})

test('such a test in quarantine does not fail the run, which lists the date and reason', () => {
  const { lines, failed } = sumUp([tally(), wavering], [entry])
  expect([failed, last(lines)]).toEqual([0, '7 passed, 0 failed'])
  expect(lines.join('\n')).toContain('- src/a.test.ts > on sqlite > it works\n    since 2026-11-22: a race in the fake')
})

test('the quarantine is always printed, and excuses neither other tests nor failures', () => {
  expect(sumUp([tally()], [entry]).lines.join('\n')).toContain('since 2026-11-22')
  expect(sumUp([wavering], [{ ...entry, test: 'on postgres > it works' }]).failed).toBe(1)
  const failed = [{ test: 'src/a.test.ts > on sqlite > it works', why: 'Error: wrong' }]
  expect(sumUp([tally({ failed })], [entry]).failed).toBe(1)
})

test('a failure takes at most 20 lines: the test, the error, and the command to run just it', () => {
  const why = briefly([Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n')])
  const { lines } = sumUp([tally({ failed: [{ test: 'src/a.test.ts > it works', why, rerun: 'node run' }] })], [])
  const printed = lines.join('\n').split('\n')
  expect(printed.length).toBeLessThanOrEqual(20)
  expect(printed).toEqual(
    expect.arrayContaining(['- src/a.test.ts > it works', '    line 0', '    Run just this: node run']),
  )
})

test('other mistakes count as failed', () => {
  const mistakes = [{ test: 'temporary folders', why: 'One was left.' }]
  const { lines, failed } = sumUp([tally()], [], mistakes)
  expect([failed, last(lines)]).toEqual([1, '3 passed, 1 failed'])
})

test('a skipped test is listed with its reason, and fails if it has none', () => {
  const remark = { test: 'src/a.test.ts > it works', why: '', rerun: 'node run' }
  const sorted = sortSkipped([
    { remark, reason: 'PgBouncer is not installed.' },
    { remark, reason: undefined },
  ])
  const { lines, failed } = sumUp([tally(sorted)], [])
  expect([failed, last(lines)]).toEqual([1, '3 passed, 1 failed'])
  expect(lines.join('\n')).toContain('Not tried on this machine:\n\n- src/a.test.ts > it works\n    PgBouncer is not')
  expect(lines.join('\n')).toContain('Failed:\n\n- src/a.test.ts > it works\n    It was skipped without a reason.')
})
