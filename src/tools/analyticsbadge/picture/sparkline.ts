import type { Options } from './options.ts'

const [width, height] = [64, 20]
const [side, above, below] = [6, 4, 4]

/** Widens a flat SVG by a line of these numbers, oldest first, in the color of its text on that of its number. */
export function withSparkline(svg: string, numbers: readonly number[], { period }: Pick<Options, 'period'>): string {
  const wide = Number(/ width="(\d+)"/.exec(svg)?.[1])
  const total = numbers.reduce((sum, one) => sum + one, 0)
  const fill = /<rect x="\d+" width="\d+" height="20" fill="([^"]+)"\/>/.exec(svg)?.[1] ?? '#555'
  const ink = /.*<text [^>]*?fill="([^"]+)"/.exec(svg.slice(svg.lastIndexOf('<text ')))?.[1] ?? '#fff'
  const said = `${period ? '' : ' in total'}, ${total} in the last ${numbers.length} days`
  const drawn =
    `<rect x="${wide}" width="${width}" height="${height}" fill="${fill}" shape-rendering="crispEdges"/>` +
    `<path d="${pathOf(numbers, wide)}" fill="none" stroke="${ink}" stroke-width="1.5" stroke-linejoin="round" stroke-linecap="round"/>`
  return svg
    .replace(` width="${wide}"`, ` width="${wide + width}"`)
    .replace(/ aria-label="([^"]*)"><title>[^<]*</, (_all, label) => {
      const words = `${label}${said}`
      return ` aria-label="${words}"><title>${words}<`
    })
    .replace(/<\/svg>$/, `${drawn}</svg>`)
}

function pathOf(numbers: readonly number[], from: number): string {
  const most = Math.max(1, ...numbers)
  const step = (width - 2 * side) / (numbers.length - 1)
  const points = numbers.map((one, index) => {
    const x = from + side + index * step
    const y = height - below - (one / most) * (height - above - below)
    return `${round(x)} ${round(y)}`
  })
  return `M${points.join('L')}`
}

const round = (value: number) => Math.round(value * 10) / 10
