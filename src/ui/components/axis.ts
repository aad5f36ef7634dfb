/** By the square of what they begin at. */
const factors = [
  [10, 50],
  [5, 10],
  [2, 2],
  [1, 0],
] as const

/** An axis from 0 past this value, with about this number of ticks at round numbers, the last at its top. */
export function axisTo(most: number, count: number): { top: number; ticks: number[] } {
  const power = 10 ** Math.floor(Math.log10(most / count))
  const [factor = 1] = factors.find(([, square]) => (most / count / power) ** 2 >= square) ?? []
  const step = factor * power
  const ticks = Array.from({ length: Math.ceil(most / step) }, (_, index) => (index + 1) * step)
  return { top: ticks.length * step, ticks }
}
