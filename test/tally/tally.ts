import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/**
 * The results of a test run. `unsteady` tests passed only on the second try and are not counted in `passed`.
 * `notTried` tests lack something on this machine, as their `why` says.
 */
export type Tally = { passed: number; failed: Remark[]; unsteady: Remark[]; notTried: Remark[] }
/** `rerun` is the command that runs just this test. */
export type Remark = { test: string; why: string; rerun?: string }

/** A skipped test is not tried if it says why; otherwise somebody forgot it, so it fails. */
export function sortSkipped(skipped: readonly { remark: Remark; reason: string | undefined }[]) {
  const notTried = skipped.flatMap(({ remark: { test }, reason }) => (reason ? [{ test, why: reason }] : []))
  const forgotten = skipped.filter(({ reason }) => !reason)
  return { notTried, failed: forgotten.map(({ remark }) => ({ ...remark, why: 'It was skipped without a reason.' })) }
}

const place = 'TOOLBOX_TALLY'
export const leavingTallyIn = (file: string): Record<string, string> => ({ [place]: file })

export function leaveTally(tally: Tally): void {
  const file = process.env[place]
  if (file) writeFileSync(file, JSON.stringify(tally))
}

/** Reads a run's tally. A run without one, or with a bad exit code but no listed failure, counts as one failure. */
export function readTally(file: string, name: string, code: number): Tally {
  try {
    const tally: Tally = JSON.parse(readFileSync(file, 'utf8'))
    if (code === 0 || tally.failed.length > 0) return tally
    return { ...tally, failed: [{ test: name, why: `ended with code ${code}` }] }
  } catch {
    return { passed: 0, unsteady: [], notTried: [], failed: [{ test: name, why: 'left no count of its tests' }] }
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal begin with one
const colours = /\u001b\[[\d;]*m/g

const ofOthers = /^\s+at .*(?:node_modules|node:|new Promise)/

/** Shortens error messages to a few lines, for the end of a long log. */
export const briefly = (messages: readonly string[], most = 13): string =>
  [...new Set(messages)]
    .flatMap((words) => words.replaceAll(colours, '').split('\n'))
    .filter((line) => !ofOthers.test(line))
    .map((line) => line.replace(pathToFileURL(`${process.cwd()}/`).href, '').replace(/\?vitest=\d+(?=:\d)/, ''))
    .slice(0, most)
    .join('\n')
