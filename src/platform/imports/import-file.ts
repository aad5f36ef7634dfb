import { HttpError } from '../../shared/http-error.ts'
import type { Outcome } from '../../shared/schemas/import-report.ts'
import { textIn, Unreadable } from './file.ts'
import { pacer } from './pacer.ts'

/** Where something begins in a file; `at` says it where many begin on one line. */
export type Spot = { line: number; at?: string | undefined }
export const spotOf = ({ line, at }: Spot): Spot => ({ line, ...(at !== undefined && { at }) })
export const inWords = ({ line, at }: Spot): string => at ?? `line ${line}`

/** What something in a file is; `tool` which kind of entry. */
export type About = { what: string; tool?: string | null }
/** What a file says of a user or an entry, or why none can be made of it. */
export type ImportRow<Draft extends { body: object }> = Spot & (Draft | (About & { why: string }))
export const isDraft = <Draft extends { body: object }>(row: ImportRow<Draft>): row is Spot & Draft => 'body' in row

/** What becomes of something in a file; `wait` in seconds if it is only refused for now. */
type Step = Spot & About & { outcome: Outcome; why?: string; wait?: number }
export type RefusedStep = Spot & About & { outcome: 'refused'; why: string; wait?: number }

type Line = Omit<Step, 'wait'>
export type Report = Record<'created' | 'changed' | 'same', number> & {
  refused: (Spot & { why: string })[]
  lines: Line[]
}
/** What came of a file, and why nothing was imported; `wait` in seconds if that is only a matter of time. */
export type Imported = { report: Report; error?: string; wait?: number }

/** A file as it was sent; `dry` changes nothing; `skip` leaves out what is refused, without which all of it is refused. */
export type SentFile = { bytes: Buffer<ArrayBuffer>; type: string; dry: boolean; skip: boolean }

type Import<Row, Planned extends Step> = {
  read(text: Buffer): Promise<Row[]>
  /** What would become of the rows now. */
  plan(rows: readonly Row[]): Promise<Planned[]>
  /** Carries out the plan, and returns what became of the rows. Throws if the caller may not write. */
  write(steps: readonly Planned[], rows: readonly Row[]): Promise<readonly Step[]>
  /** What is said of the tool if the file can't be read. */
  ofNoTool?: { tool: null }
}

/** Reads a file, plans what would become of it and, if that is wanted, does it. The file is gone afterwards. */
export async function importFile<Row, Planned extends Step>(
  { bytes, dry, skip }: SentFile,
  { read, plan, write, ofNoTool }: Import<Row, Planned>,
): Promise<Imported> {
  let rows: Row[]
  try {
    rows = await read(await textIn(bytes))
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return refusal([{ line: error.line, what: '', ...ofNoTool, outcome: 'refused', why: error.message }])
  } finally {
    // Several files would otherwise wait in memory until it is cleaned up.
    bytes.buffer.transfer(0)
  }
  const steps = await plan(rows)
  if (dry) return { report: reportOf(steps) }
  if (!skip && steps.some(({ outcome }) => outcome === 'refused')) return refusal(steps)
  return { report: reportOf(await write(steps, rows)) }
}

/** What becomes of each row; one of which `stepOf` throws an HttpError is refused. */
export async function planRows<Draft extends { body: object }, Planned extends Step>(
  rows: readonly ImportRow<Draft>[],
  aboutOf: (draft: Draft) => About,
  stepOf: (draft: Spot & Draft, about: Spot & About) => Planned,
): Promise<(Planned | RefusedStep)[]> {
  const pause = pacer()
  const steps: (Planned | RefusedStep)[] = []
  for (const row of rows) {
    await pause()
    if (!isDraft(row)) {
      steps.push({ ...row, outcome: 'refused' })
      continue
    }
    const about = { ...spotOf(row), ...aboutOf(row) }
    const refused = (why: string): RefusedStep => ({ ...about, outcome: 'refused', why })
    steps.push(orWhy(() => stepOf(row, about), refused))
  }
  return steps
}

/** What `make` returns, or what `refused` makes of the sentence of an HttpError. */
export function orWhy<Made, Refused>(make: () => Made, refused: (why: string) => Refused): Made | Refused {
  try {
    return make()
  } catch (error) {
    if (error instanceof HttpError) return refused(error.message)
    throw error
  }
}

/** A reason may quote the file. */
const longestWhy = 500

function reportOf(steps: readonly Step[]): Report {
  const count = (outcome: Outcome) => steps.filter((step) => step.outcome === outcome).length
  const lines = steps.map((step) => {
    const { outcome, what, why, tool } = step
    const more = { ...(why !== undefined && { why: why.slice(0, longestWhy) }), ...(tool !== undefined && { tool }) }
    return { ...spotOf(step), outcome, what, ...more }
  })
  return {
    created: count('created'),
    changed: count('changed'),
    same: count('same'),
    refused: lines.flatMap((line) => (line.outcome === 'refused' ? [{ ...spotOf(line), why: line.why ?? '' }] : [])),
    lines,
  }
}

/** The answer to a file of which some is refused: nothing was imported, so nothing was created or changed. */
function refusal(steps: readonly Step[]): Imported {
  const refused = steps.filter(({ outcome }) => outcome === 'refused')
  const report = reportOf(refused)
  const [first] = report.refused
  const error =
    refused.length === 1 && first
      ? `${inWords(first).replace(/^l/, 'L')}: ${first.why}`
      : `${refused.length} lines are refused, so nothing was imported.`
  const waits = refused.map(({ wait }) => wait)
  const isOnlyLate = waits.every((wait) => wait !== undefined)
  return { report, error, ...(isOnlyLate && { wait: Math.max(...waits) }) }
}
