import type { Outcome } from '../../shared/schemas/import-report.ts'
import { textIn, Unreadable } from './file.ts'

/** Where something begins in a file; `at` says it where many begin on one line. */
export type Spot = { line: number; at?: string | undefined }
export const spotOf = ({ line, at }: Spot): Spot => ({ line, ...(at !== undefined && { at }) })
export const inWords = ({ line, at }: Spot): string => at ?? `line ${line}`

/** What becomes of something in a file; `wait` in seconds if it is only refused for now. */
type Step = Spot & { outcome: Outcome; what: string; why?: string; wait?: number }
type Line = Pick<Step, 'line' | 'at' | 'outcome' | 'what' | 'why'>
export type Report<More = object> = {
  created: number
  changed: number
  same: number
  refused: (Spot & { why: string })[]
  lines: (Line & More)[]
}
/** What came of a file, and why nothing was imported; `wait` in seconds if that is only a matter of time. */
export type Imported<More = object> = { report: Report<More>; error?: string; wait?: number }

/** A reason may quote the file. */
const longestWhy = 500

/** What becomes of all in a file, with more about each. */
export function reportOf<S extends Step, More extends object>(
  steps: readonly S[],
  moreOf: (step: Pick<S, Exclude<keyof S, keyof Step>>) => More,
): Report<More> {
  const count = (outcome: Outcome) => steps.filter((step) => step.outcome === outcome).length
  const lines = steps.map((step) => {
    const { outcome, what, why } = step
    return {
      ...spotOf(step),
      outcome,
      what,
      ...(why !== undefined && { why: why.slice(0, longestWhy) }),
      ...moreOf(step),
    }
  })
  return {
    created: count('created'),
    changed: count('changed'),
    same: count('same'),
    refused: lines.flatMap((line) => (line.outcome === 'refused' ? [{ ...spotOf(line), why: line.why ?? '' }] : [])),
    lines,
  }
}

const none = { created: 0, changed: 0, same: 0 }

/** The answer to a file of which some is refused: nothing was imported, so nothing was created or changed. */
export function refusal<More>(steps: readonly Step[], report: Report<More>): Imported<More> {
  const waits = steps.flatMap(({ outcome, wait }) => (outcome === 'refused' ? [wait] : []))
  const [first] = report.refused
  const { length } = report.refused
  const error =
    length === 1 && first
      ? `${inWords(first).replace(/^l/, 'L')}: ${first.why}`
      : `${length} lines are refused, so nothing was imported.`
  const isOnlyLate = waits.every((wait) => wait !== undefined)
  const lines = report.lines.filter(({ outcome }) => outcome === 'refused')
  return { report: { ...report, ...none, lines }, error, ...(isOnlyLate && { wait: Math.max(...waits) }) }
}

/** What `read` finds in the text of a file, or the answer to one that can't be imported. The file is gone afterwards. */
export async function readOrRefuse<T, More>(
  file: Buffer<ArrayBuffer>,
  read: (text: Buffer) => Promise<T>,
  more: More,
): Promise<{ found: T } | Imported<More>> {
  try {
    return { found: await read(await textIn(file)) }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const { line, message: why } = error
    const lines = [{ line, outcome: 'refused' as const, what: '', why, ...more }]
    return { report: { ...none, refused: [{ line, why }], lines }, error: `Line ${line}: ${why}` }
  } finally {
    // Several files would otherwise wait in memory until it is cleaned up.
    file.buffer.transfer(0)
  }
}
