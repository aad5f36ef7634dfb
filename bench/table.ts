/** One gate. `used` is the share of the limit that is used up: at most 1 passes. `seen` says what was measured, for information. */
export type Row = { name: string; figure: string; limit: string; used: number; seen: string }

export const passes = ({ used }: Row): boolean => used <= 1

/** A figure that may be at most its limit. */
export const atMost = (name: string, figure: number, limit: number, unit: string, seen: string): Row => ({
  name,
  figure: `${tell(figure)} ${unit}`,
  limit: `≤ ${tell(limit)} ${unit}`,
  used: figure / limit,
  seen,
})

/** A figure that may be no less than its limit. */
export const atLeast = (name: string, figure: number, limit: number, unit: string, seen: string): Row => ({
  name,
  figure: `${tell(figure)} ${unit}`,
  limit: `≥ ${tell(limit)} ${unit}`,
  used: limit / figure,
  seen,
})

/** Three digits are as much as a run on a shared machine knows. */
export const tell = (value: number): string =>
  value.toLocaleString('en', value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 })

export function table(rows: readonly Row[]): string {
  const head = ['', 'figure', 'limit', 'used', '', 'seen']
  const lines = [
    head,
    ...rows.map((row) => [row.name, row.figure, row.limit, tell(row.used), passes(row) ? 'ok' : 'FAILED', row.seen]),
  ]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
