/** The path of a badge, without the tag. */
export const badgePath = '/api/v1/analyticsbadge/'
/** The path of the tags that the caller has claimed. */
export const ownedPath = '/api/v1/user/badges'
/** The tag that the page begins with; it is everybody's. */
export const demoTag = 'demo'
/** The path of the stream of what tags show, and how many it watches at once. */
export const watchPath = '/api/v1/badges/events'
export const mostWatched = 50
/** The path of today's views of all tags (UTC). */
export const todayPath = '/api/v1/badges/today'

export const longest = { tag: 64, label: 64 } as const
/** Removes what a tag can't have as it is typed. */
export const cleanTag = (text: string): string => text.replaceAll(/[^A-Za-z0-9_]/g, '').slice(0, longest.tag)
/** Removes what a label can't have as it is typed. */
export const cleanLabel = (text: string): string => text.replaceAll(/[^A-Za-z0-9_ -]/g, '').slice(0, longest.label)

/** Those of badge-maker. */
export const plainStyles = ['flat-square', 'flat', 'plastic', 'for-the-badge', 'social'] as const
export type PlainStyle = (typeof plainStyles)[number]
/** `sparkline` also draws the last 30 days. */
export const styles = [...plainStyles, 'sparkline'] as const
export type Style = (typeof styles)[number]
/** What a badge may count instead of all views: UTC days up to today. */
export const periods = ['today', '7d', '30d'] as const
export type Period = (typeof periods)[number]
/** A slug of simple-icons. */
export const isLogo = (text: string): boolean => /^[a-z0-9_]{1,64}$/.test(text)
export const defaultStyle: PlainStyle = 'flat-square'
/** The color of a number without one. */
export const defaultColor = 'brightgreen'
/** The label of a badge without one. */
export const defaultLabel = 'views'
/** What the named colors look like. */
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
/** Other names for some of them. */
const aliases = ['gray', 'lightgray', 'critical', 'important', 'success', 'informational', 'inactive']
const colorNames = new Set<string>([...Object.keys(palette), ...aliases])
/** Whether a badge can have this color: a name, or three or six hexadecimal digits with or without a #. */
export const isColor = (text: string): boolean =>
  colorNames.has(text.toLowerCase()) || /^#?(?:[0-9a-f]{3}){1,2}$/i.test(text)

/** `camo` is GitHub's image proxy, `other` everybody else. */
export const sources = ['camo', 'other'] as const
export type Source = (typeof sources)[number]
