const [width, height] = [64, 20]
const [side, above, below] = [6, 4, 4]

type Line = {
  /** Oldest first; null for a missing number, which interrupts the line. */
  numbers: readonly (number | null)[]
  /** Text to append to the badge's title. */
  titleSuffix: string
}

/** Widens a flat SVG badge by a line of these numbers, in the colors of its message's text and background. */
export function withSparkline(svg: string, { numbers, titleSuffix }: Line): string {
  const wide = Number(/ width="(\d+)"/.exec(svg)?.[1])
  const fill = /<rect x="\d+" width="\d+" height="20" fill="([^"]+)"\/>/.exec(svg)?.[1] ?? '#555'
  const ink = /.*<text [^>]*?fill="([^"]+)"/.exec(svg.slice(svg.lastIndexOf('<text ')))?.[1] ?? '#fff'
  const drawn =
    `<rect x="${wide}" width="${width}" height="${height}" fill="${fill}" shape-rendering="crispEdges"/>` +
    `<path d="${pathOf(numbers, wide)}" fill="none" stroke="${ink}" stroke-width="1.5" stroke-linejoin="round" stroke-linecap="round"/>`
  return svg
    .replace(` width="${wide}"`, ` width="${wide + width}"`)
    .replace(/ aria-label="([^"]*)"><title>[^<]*</, (_all, label) => {
      const words = `${label}${titleSuffix}`
      return ` aria-label="${words}"><title>${words}<`
    })
    .replace(/<\/svg>$/, `${drawn}</svg>`)
}

function pathOf(numbers: Line['numbers'], from: number): string {
  const most = Math.max(...numbers.map((one) => one ?? 0)) || 1
  const step = (width - 2 * side) / (numbers.length - 1)
  const isKnown = (index: number) => typeof numbers[index] === 'number'
  const points = numbers.map((one, index) => {
    if (one === null) return ''
    const x = from + side + index * step
    const y = height - below - (one / most) * (height - above - below)
    const point = `${isKnown(index - 1) ? 'L' : 'M'}${round(x)} ${round(y)}`
    // A number without neighbors becomes a dot.
    return isKnown(index - 1) || isKnown(index + 1) ? point : `${point}h0`
  })
  return points.join('')
}

const round = (value: number) => Math.round(value * 10) / 10
