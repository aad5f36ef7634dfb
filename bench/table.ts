/** One gate. `used` is the used share of the limit; up to 1 passes. `seen` describes the measurement. */
export type Row = { name: string; figure: string; limit: string; used: number; seen: string }

export const isPassing = ({ used }: Row): boolean => used <= 1

export const atMost = (name: string, figure: number, limit: number, unit: string, measured: string): Row => ({
  name,
  figure: `${formatFigure(figure)} ${unit}`,
  limit: `≤ ${formatFigure(limit)} ${unit}`,
  used: figure / limit,
  seen: measured,
})

export const atLeast = (name: string, figure: number, limit: number, unit: string, measured: string): Row => ({
  name,
  figure: `${formatFigure(figure)} ${unit}`,
  limit: `≥ ${formatFigure(limit)} ${unit}`,
  used: limit / figure,
  seen: measured,
})

/** Rounds to three digits, the precision of a run on a shared machine. */
export const formatFigure = (value: number): string =>
  value.toLocaleString('en', value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 })

export function table(rows: readonly Row[]): string {
  const head = ['', 'figure', 'limit', 'used', '', 'seen']
  const lines = [
    head,
    ...rows.map((row) => [
      row.name,
      row.figure,
      row.limit,
      formatFigure(row.used),
      isPassing(row) ? 'ok' : 'FAILED',
      row.seen,
    ]),
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
