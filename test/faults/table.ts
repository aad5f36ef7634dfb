import type { Database } from './stage.ts'

export type Row = {
  fault: string
  database: Database
  tries: number
  acknowledged: number
  lost: number
  repeated: number
  /** Seconds until full recovery; null if there was none. */
  recovered: number | null
  limit: number
  wrong: readonly string[]
  /** Remarks that are not failures. */
  noted: readonly string[]
  skipped?: string
}

export const isPassing = ({ wrong, skipped }: Row): boolean => wrong.length === 0 || skipped !== undefined

const head = ['fault', 'database', 'tries', 'acknowledged', 'lost', 'repeated', 'recovered', 'limit', '']

export function table(rows: readonly Row[]): string {
  const lines = [head, ...rows.map(cells)]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const asText = (line: readonly string[]) =>
    line
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd()
  const remarks = rows.flatMap(({ fault, database, wrong, skipped, noted }) =>
    [...wrong, ...(skipped ? [`not tried: ${skipped}`] : []), ...noted].map((one) => `${fault} (${database}): ${one}`),
  )
  return [...lines.map(asText), '', ...remarks].join('\n').trimEnd()
}

function cells(row: Row): string[] {
  const { fault, database, skipped } = row
  if (skipped) return [fault, database, '', '', '', '', '', '', 'skipped']
  const counts = [row.tries, row.acknowledged, row.lost, row.repeated].map(String)
  const recovered = row.recovered === null ? 'never' : `${row.recovered.toFixed(1)} s`
  return [fault, database, ...counts, recovered, `${row.limit} s`, isPassing(row) ? 'ok' : 'FAILED']
}
