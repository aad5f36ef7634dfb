import * as z from 'zod/mini'
import { analyticsbadgeNames } from './names.ts'

export const analyticsbadge = analyticsbadgeNames

/** Where the badge of a tag is: this, and the tag. */
export const badgePath = '/api/v1/analyticsbadge/'

export const longest = { tag: 64, label: 64 } as const
export const Tag = z
  .string()
  .check(z.regex(/^[A-Za-z0-9_]{1,64}$/, `Use 1 to ${longest.tag} letters, digits and underscores.`))
/** What is left of a tag as it is typed. */
export const cleanTag = (text: string): string => text.replaceAll(/[^A-Za-z0-9_]/g, '').slice(0, longest.tag)
/** What is left of a label as it is typed. */
export const cleanLabel = (text: string): string => text.replaceAll(/[^A-Za-z0-9_ -]/g, '').slice(0, longest.label)

export const styles = ['flat-square', 'flat', 'plastic', 'for-the-badge', 'social'] as const
export type Style = (typeof styles)[number]
export const defaultStyle: Style = 'flat-square'
export const namedColors = [
  'brightgreen',
  'green',
  'yellowgreen',
  'yellow',
  'orange',
  'red',
  'blue',
  'grey',
  'lightgrey',
] as const
/** Other names of some of them. */
const aliases = ['gray', 'lightgray', 'critical', 'important', 'success', 'informational', 'inactive']
const colorNames = new Set<string>([...namedColors, ...aliases])
/** Whether a badge can have this colour: a name, or three or six hexadecimal digits with or without a #. */
export const isColor = (text: string): boolean =>
  colorNames.has(text.toLowerCase()) || /^#?(?:[0-9a-f]{3}){1,2}$/i.test(text)

/** Where the views of all tags on this day (UTC) are told. */
export const todayPath = '/api/v1/badges/today'
export const ViewsToday = z.object({ views: z.int() })
export type ViewsToday = z.infer<typeof ViewsToday>

/** `camo` is GitHub's image proxy, `other` everybody else. */
export const sources = ['camo', 'other'] as const
export type Source = (typeof sources)[number]

/** How often a tag was viewed: in all, and on each day (UTC, oldest first) by source. `lastView` is epoch milliseconds, null before the first. */
export const BadgeStats = z.object({
  tag: z.string(),
  views: z.int(),
  lastView: z.nullable(z.int()),
  days: z.array(z.object({ day: z.string(), views: z.int(), camo: z.int(), other: z.int() })),
})
export type BadgeStats = z.infer<typeof BadgeStats>
