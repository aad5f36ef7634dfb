/** The factors of round steps, each with the square of the ratio from which it applies. */
const factors = [
  [10, 50],
  [5, 10],
  [2, 2],
  [1, 0],
] as const

/** An axis from 0 to at least `most`, with about `count` ticks at round numbers, the last one at its top. */
export function axisTo(most: number, count: number): { top: number; ticks: number[] } {
  const power = 10 ** Math.floor(Math.log10(most / count))
  const [factor = 1] = factors.find(([, square]) => (most / count / power) ** 2 >= square) ?? []
  const step = factor * power
  const ticks = Array.from({ length: Math.ceil(most / step) }, (_, index) => (index + 1) * step)
  return { top: ticks.length * step, ticks }
}
