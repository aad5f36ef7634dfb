import { tell } from '../table.ts'

type Point = { x: number; y: number }
type Plot = { title: string; unit: string; points: readonly Point[] }

const [width, height] = [360, 200]
const frame = { left: 48, right: 30, top: 40, bottom: 32 }

/** A line over a logarithmic axis of entries, as an SVG that follows the reader's color scheme. */
export function plot({ title, unit, points }: Plot): string {
  const xs = points.map(({ x }) => Math.log10(x))
  const [first, last] = [Math.min(...xs), Math.max(...xs)]
  const top = niceCeiling(Math.max(...points.map(({ y }) => y)))
  const px = (x: number) => frame.left + ((Math.log10(x) - first) / (last - first)) * (width - frame.left - frame.right)
  const py = (y: number) => height - frame.bottom - (y / top) * (height - frame.top - frame.bottom)
  const at = ({ x, y }: Point) => `${px(x).toFixed(1)},${py(y).toFixed(1)}`
  const lines = [0, top / 2, top].map(
    (y) => `<path class="grid" d="M${frame.left} ${py(y)}H${width - frame.right}"/>
  <text class="quiet" x="${frame.left - 6}" y="${py(y) + 4}" text-anchor="end">${tell(y)}</text>`,
  )
  const ticks = points.map(
    ({ x }) =>
      `<text class="quiet" x="${px(x)}" y="${height - 12}" text-anchor="middle">${x.toLocaleString('en')}</text>`,
  )
  const marks = points.map((point) => {
    const [x, y] = at(point).split(',')
    return `<circle cx="${x}" cy="${y}" r="3.5"/>
  <text x="${x}" y="${Number(y) - 9}" text-anchor="middle">${tell(point.y)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${title}, ${unit}, by entries">
  <style>
    text { font: 11px system-ui, sans-serif; fill: #1f2328 } .title { font-weight: 600; font-size: 13px }
    .quiet { fill: #59636e } .grid { stroke: #d1d9e0 } polyline { fill: none; stroke: #5b4bdb; stroke-width: 2 } circle { fill: #5b4bdb }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc } .quiet { fill: #9198a1 } .grid { stroke: #3d444d } polyline { stroke: #a395ff } circle { fill: #a395ff }
    }
  </style>
  <text class="title" x="12" y="20">${title} <tspan class="quiet">(${unit})</tspan></text>
  ${[...lines, ...ticks].join('\n  ')}
  <polyline points="${points.map(at).join(' ')}"/>
  ${marks.join('\n  ')}
</svg>
`
}

/** The next of 1, 2, 5, 10, 20 … that leaves room for the label of the highest point. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10, 20].map((step) => step * power).find((step) => step >= value * 1.15) ?? value
}
