import type { Quarantined } from './quarantine.ts'
import type { Remark, Tally } from './tally.ts'

/** Tests that passed only on the second try count as failed outside quarantine; `mistakes` always. */
export function sumUp(tallies: readonly Tally[], quarantine: readonly Quarantined[], mistakes: readonly Remark[] = []) {
  const quarantined = new Set(quarantine.map(({ file, test }) => `${file} > ${test}`))
  const unsteady = tallies.flatMap((tally) => tally.unsteady)
  const excused = unsteady.filter(({ test }) => quarantined.has(test))
  const red = unsteady.filter(({ test }) => !quarantined.has(test))
  const failures = [...tallies.flatMap((tally) => tally.failed), ...mistakes]
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0) + excused.length
  const failed = failures.length + red.length
  const lines = [
    ...listed(
      'Not tried on this machine:',
      tallies.flatMap((tally) => tally.notTried),
    ),
    ...listed(
      'In quarantine:',
      quarantine.map(({ file, test, date, reason }) => ({
        test: `${file} > ${test}`,
        why: `since ${date}: ${reason}`,
      })),
    ),
    ...listed('Passed at the second try only, in quarantine:', excused),
    ...listed('Passed at the second try only, which counts as failed:', red),
    ...listed('Failed:', failures),
    `\n${passed} passed, ${failed} failed`,
  ]
  return { lines, failed }
}

const listed = (title: string, remarks: readonly Remark[]): string[] =>
  remarks.length === 0 ? [] : [`\n${title}`, ...remarks.map(linesOf)]

function linesOf({ test, why, rerun }: Remark): string {
  const below = rerun ? `${why}\nRun just this: ${rerun}` : why
  return `\n- ${test}\n${below.replaceAll(/^/gm, '    ')}`
}
