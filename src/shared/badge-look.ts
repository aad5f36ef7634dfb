/** The styles of badge-maker. */
export const plainStyles = ['flat-square', 'flat', 'plastic', 'for-the-badge', 'social'] as const
type PlainStyle = (typeof plainStyles)[number]
export const defaultStyle: PlainStyle = 'flat-square'
/** `sparkline` also draws the last 30 days. */
export const styles = [...plainStyles, 'sparkline'] as const
export type Style = (typeof styles)[number]
export const styleLabels: Record<Style, string> = {
  'flat-square': 'Flat square',
  flat: 'Flat',
  plastic: 'Plastic',
  'for-the-badge': 'For the badge',
  social: 'Social',
  sparkline: 'Sparkline',
}
/** Whether this text can be a slug of simple-icons. */
export const isLogo = (text: string): boolean => /^[a-z0-9_]{1,64}$/.test(text)

export const longestLabel = 64
/** Removes invalid characters from a label while it is typed, and truncates it. */
export const cleanLabel = (text: string): string => text.replaceAll(/[^A-Za-z0-9_ -]/g, '').slice(0, longestLabel)

export const palette = {
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
export type NamedColor = keyof typeof palette
/** Other names that badge-maker has for some of these colors. */
const aliases = ['gray', 'lightgray', 'critical', 'important', 'success', 'informational', 'inactive']
const colorNames = new Set<string>([...Object.keys(palette), ...aliases])
/** Accepts a name, or three or six hexadecimal digits, with or without #. */
export const isColor = (text: string): boolean =>
  colorNames.has(text.toLowerCase()) || /^#?(?:[0-9a-f]{3}){1,2}$/i.test(text)
