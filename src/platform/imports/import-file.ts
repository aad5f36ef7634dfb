import { HttpError } from '../../shared/http-error.ts'
import type { Outcome } from '../../shared/schemas/import-report.ts'
import { normalizeText, UnreadableFile } from './file.ts'
import { pacer } from './pacer.ts'

/** Where a row begins in a file; `at` describes the place if many rows begin on one line. */
export type RowPosition = { line: number; at?: string | undefined }
export const positionOf = ({ line, at }: RowPosition): RowPosition => ({ line, ...(at !== undefined && { at }) })
export const describePosition = ({ line, at }: RowPosition): string => at ?? `line ${line}`

/** What a row is; for an entry, `tool` is its kind. */
export type RowSubject = { what: string; tool?: string | null }
/** A user or entry read from a file, or why the row is invalid. */
export type ImportRow<Draft extends { body: object }> = RowPosition & (Draft | (RowSubject & { why: string }))
export const isDraft = <Draft extends { body: object }>(row: ImportRow<Draft>): row is RowPosition & Draft =>
  'body' in row

/** The outcome of a row; `wait` is in seconds if the row is refused only for now. */
type Step = RowPosition & RowSubject & { outcome: Outcome; why?: string; wait?: number }
export type RefusedStep = RowPosition & RowSubject & { outcome: 'refused'; why: string; wait?: number }

type Line = Omit<Step, 'wait'>
export type Report = Record<'created' | 'changed' | 'same', number> & {
  refused: (RowPosition & { why: string })[]
  lines: Line[]
}
/** The result of an import. `error`: why nothing was imported; `wait`: seconds after which a retry may succeed. */
export type ImportResult = { report: Report; error?: string; wait?: number }

/** An uploaded file. `dry` changes nothing; `skip` leaves out refused rows instead of refusing the whole file. */
export type UploadedFile = { bytes: Buffer<ArrayBuffer>; type: string; dry: boolean; skip: boolean }

type Import<Row, Planned extends Step> = {
  read(text: Buffer): Promise<Row[]>
  plan(rows: readonly Row[]): Promise<Planned[]>
  /** Carries out the plan, and returns the outcomes of the rows. Throws if the caller may not write. */
  write(steps: readonly Planned[], rows: readonly Row[]): Promise<readonly Step[]>
  /** The tool to report if the file can't be read. */
  ofNoTool?: { tool: null }
}

/** Reads a file, plans its import and, unless `dry`, carries it out. Frees the file's bytes once they are read. */
export async function importFile<Row, Planned extends Step>(
  { bytes, dry, skip }: UploadedFile,
  { read, plan, write, ofNoTool }: Import<Row, Planned>,
): Promise<ImportResult> {
  let rows: Row[]
  try {
    rows = await read(await normalizeText(bytes))
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return refusal([{ line: error.line, what: '', ...ofNoTool, outcome: 'refused', why: error.message }])
  } finally {
    // Several files would otherwise stay in memory until the next garbage collection.
    bytes.buffer.transfer(0)
  }
  const steps = await plan(rows)
  if (dry) return { report: reportOf(steps) }
  if (!skip && steps.some(({ outcome }) => outcome === 'refused')) return refusal(steps)
  return { report: reportOf(await write(steps, rows)) }
}

/** Plans the outcome of each row; refuses a row for which `stepOf` throws an HttpError. */
export async function planRows<Draft extends { body: object }, Planned extends Step>(
  rows: readonly ImportRow<Draft>[],
  aboutOf: (draft: Draft) => RowSubject,
  stepOf: (draft: RowPosition & Draft, about: RowPosition & RowSubject) => Planned,
): Promise<(Planned | RefusedStep)[]> {
  const pause = pacer()
  const steps: (Planned | RefusedStep)[] = []
  for (const row of rows) {
    await pause()
    if (!isDraft(row)) {
      steps.push({ ...row, outcome: 'refused' })
      continue
    }
    const about = { ...positionOf(row), ...aboutOf(row) }
    const refused = (why: string): RefusedStep => ({ ...about, outcome: 'refused', why })
    steps.push(catchHttpError(() => stepOf(row, about), refused))
  }
  return steps
}

/** Returns the result of `make` or, if it throws an HttpError, that of `refused` for the error's message. */
export function catchHttpError<Made, Refused>(make: () => Made, refused: (why: string) => Refused): Made | Refused {
  try {
    return make()
  } catch (error) {
    if (error instanceof HttpError) return refused(error.message)
    throw error
  }
}

/** The most characters of a reason, which may quote the file. */
const longestWhy = 500

function reportOf(steps: readonly Step[]): Report {
  const count = (outcome: Outcome) => steps.filter((step) => step.outcome === outcome).length
  const lines = steps.map((step) => {
    const { outcome, what, why, tool } = step
    const more = { ...(why !== undefined && { why: why.slice(0, longestWhy) }), ...(tool !== undefined && { tool }) }
    return { ...positionOf(step), outcome, what, ...more }
  })
  return {
    created: count('created'),
    changed: count('changed'),
    same: count('same'),
    refused: lines.flatMap((line) =>
      line.outcome === 'refused' ? [{ ...positionOf(line), why: line.why ?? '' }] : [],
    ),
    lines,
  }
}

/** The result for a file with refused rows: nothing was imported, so nothing was created or changed. */
function refusal(steps: readonly Step[]): ImportResult {
  const refused = steps.filter(({ outcome }) => outcome === 'refused')
  const report = reportOf(refused)
  const [first] = report.refused
  const error =
    refused.length === 1 && first
      ? `${describePosition(first).replace(/^l/, 'L')}: ${first.why}`
      : `${refused.length} lines are refused, so nothing was imported.`
  const waits = refused.map(({ wait }) => wait)
  const isOnlyLate = waits.every((wait) => wait !== undefined)
  return { report, error, ...(isOnlyLate && { wait: Math.max(...waits) }) }
}
