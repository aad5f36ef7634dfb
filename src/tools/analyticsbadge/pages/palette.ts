import type { namedColors } from '../terms.ts'

export type Named = (typeof namedColors)[number]
/** What the names look like. */
export const palette: Record<Named, string> = {
  brightgreen: '#44bb00',
  green: '#67ac09',
  yellowgreen: '#95991a',
  yellow: '#d8b800',
  orange: '#ea7233',
  red: '#dd4343',
  blue: '#007ec6',
  grey: '#555555',
  lightgrey: '#939393',
}
