import { makeBadge } from 'badge-maker'
import { LRUCache } from 'lru-cache'
import { defaultLabel, defaultStyle } from '../terms.ts'
import type { Options } from './options.ts'

const keptShapes = 2_000

/** An SVG cut at its digits: the piece before the first digit, then the piece after each. */
type Shape = readonly string[]

/** SVGs of badges. Each shape (label, style, colors and number of digits) is drawn once, then only digits are filled in. */
export function badgePictures() {
  const shapes = new LRUCache<string, Shape>({ max: keptShapes })

  function shapeOf(count: string, options: Options): Shape {
    // Digits are equally wide in every style, so one shape serves all numbers of this length.
    const pattern = options.abbreviated ? count.replaceAll(/\d/g, '0') : '0'.repeat(count.length)
    const key = [pattern, options.style, options.color, options.labelColor, options.label].join('\n')
    const known = shapes.get(key)
    if (known) return known
    const [ones, twos] = ['1', '2'].map((digit) => draw(pattern.replaceAll('0', digit), options)) as [string, string]
    const shape = cutUp(ones, twos)
    shapes.set(key, shape)
    return shape
  }

  return {
    /** The SVG that shows this many views. */
    views: (count: number, options: Options): string => {
      if (!options.abbreviated) return fillIn(shapeOf(String(count), options), String(count))
      const short = abbreviate(count)
      return fillIn(shapeOf(short, options), short.replaceAll(/\D/g, ''))
    },
    /** The SVG that says what is wrong. */
    problem: (words: string): string =>
      makeBadge({ label: defaultLabel, message: words, color: 'red', style: defaultStyle }),
  }
}

const draw = (message: string, { label = defaultLabel, style = defaultStyle, color, labelColor }: Options): string =>
  makeBadge({ label, message, style, ...(color && { color }), ...(labelColor && { labelColor }) })

/** Two SVGs of the same shape differ only where a digit is. */
function cutUp(ones: string, twos: string): Shape {
  const pieces: string[] = []
  let from = 0
  for (let at = 0; at < ones.length; at += 1) {
    if (ones[at] === twos[at]) continue
    pieces.push(ones.slice(from, at))
    from = at + 1
  }
  return [...pieces, ones.slice(from)]
}

/** An SVG contains the number several times: as its text, its shadow, its title. */
function fillIn(shape: Shape, digits: string): string {
  let picture = shape[0] ?? ''
  for (let index = 1; index < shape.length; index += 1)
    picture += digits[(index - 1) % digits.length] + (shape[index] ?? '')
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
  const shown = value < 10 && unit > 0 ? Math.floor(value * 10) / 10 : Math.floor(value)
  return `${shown}${units[unit]}`
}
