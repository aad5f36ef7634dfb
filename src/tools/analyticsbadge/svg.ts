import { LRUCache } from 'lru-cache'
import { drawBadge, drawProblem } from '../../platform/badge/draw.ts'
import type { Logo } from '../../platform/badge/logos.ts'
import { withSparkline } from '../../platform/badge/sparkline.ts'
import type { Options } from './options.ts'
import { defaultLabel } from './terms.ts'

const maxCachedShapes = 2_000
/** Maximum characters of all cached shapes together; shapes with a logo are long. */
const maxCachedCharacters = 10_000_000

/** An SVG cut at its numbers, each a run of digits: the piece before the first number, then the piece after each. */
type Shape = readonly string[]

/** A badge's optional logo, and the numbers of its sparkline, oldest first. */
export type Extras = { logo?: Logo | undefined; line?: readonly number[] | undefined }

/** Draws badges as SVG. Each shape (label, style, colors, logo, number of digits) is drawn once, then filled in. */
export function badgePictures() {
  const shapes = new LRUCache<string, Shape>({
    max: maxCachedShapes,
    maxSize: maxCachedCharacters,
    sizeCalculation: (shape) => shape.reduce((length, piece) => length + piece.length, 1),
  })

  /** `pattern` is the text shown, with 0 for each digit. */
  function shapeOf(pattern: string, options: Options, logo: Logo | undefined): Shape {
    const { style, color, labelColor, label } = options
    const key = [pattern, style, color, labelColor, logo?.slug, label].join('\n')
    const cachedShape = shapes.get(key)
    if (cachedShape) return cachedShape
    const [ones, twos] = ['1', '2'].map((digit) => draw(pattern.replaceAll('0', digit), options, logo))
    const shape = cutUp(ones ?? '', twos ?? '')
    shapes.set(key, shape)
    return shape
  }

  return {
    views(count: number, options: Options, { logo, line }: Extras = {}): string {
      const message = messageOf(count, options)
      // Digits are equally wide in every style, so one shape serves all numbers of this length.
      const pattern = options.abbreviated ? message.replaceAll(/\d/g, '0') : '0'.repeat(message.length)
      const numbers = options.abbreviated ? (message.match(/\d+/g) ?? []) : [message]
      const picture = fillIn(shapeOf(pattern, options, logo), numbers)
      return line ? withSparkline(picture, { numbers: line, titleSuffix: describeTotal(line, options) }) : picture
    },
    label: (options: Options, { logo }: Extras = {}): string => fillIn(shapeOf('', options, logo), []),
    problem: (words: string): string => drawProblem(defaultLabel, words),
  }
}

function describeTotal(line: readonly number[], { period }: Pick<Options, 'period'>): string {
  const total = line.reduce((sum, one) => sum + one, 0)
  return `${period ? '' : ' in total'}, ${total} in the last ${line.length} days`
}

export const messageOf = (count: number, { abbreviated }: Pick<Options, 'abbreviated'>): string =>
  abbreviated ? abbreviate(count) : String(count)

/** Without a message, only the label is shown. */
const draw = (message: string, options: Options, logo: Logo | undefined): string =>
  drawBadge({ ...options, label: options.label ?? defaultLabel, message, logo })

/** Cuts an SVG at its numbers, found by comparison with one of the same shape that has other digits. */
function cutUp(ones: string, twos: string): Shape {
  const pieces: string[] = []
  let from = 0
  for (let at = 0; at < ones.length; at += 1) {
    if (ones[at] === twos[at]) continue
    pieces.push(ones.slice(from, at))
    while (ones[at] !== twos[at]) at += 1
    from = at
  }
  return [...pieces, ones.slice(from)]
}

/** Fills in the numbers, which an SVG repeats: in its text, its shadow and its title. */
function fillIn(shape: Shape, numbers: readonly string[]): string {
  let picture = shape[0] ?? ''
  for (let index = 1; index < shape.length; index += 1)
    picture += (numbers[(index - 1) % numbers.length] ?? '') + (shape[index] ?? '')
  return picture
}

const units = ['', 'k', 'M', 'B', 'T'] as const

/** `1.2k` for 1,234, always rounded down. */
export function abbreviate(count: number): string {
  let value = count
  let unit = 0
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000
    unit += 1
  }
  const roundedValue = value < 10 && unit > 0 ? Math.floor(value * 10) / 10 : Math.floor(value)
  return `${roundedValue}${units[unit]}`
}
