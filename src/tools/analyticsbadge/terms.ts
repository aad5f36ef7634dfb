import { pageToolNames } from '../../entries/define-tool.ts'

export const analyticsbadgeNames = pageToolNames({
  id: 'analyticsbadge',
  label: 'Analytics Badge',
  own: { badges: 'Your Badges' },
})

export const badgePath = '/api/v1/analyticsbadge/'
/** The tag that the page initially shows; it can't be claimed. */
export const demoTag = 'demo'
/** The path of the stream of tags' numbers; one stream watches up to `mostWatched` tags. */
export const watchPath = '/api/v1/badges/events'
export const mostWatched = 50

export const longestTag = 64
export const cleanTag = (text: string): string => text.replaceAll(/[^A-Za-z0-9_]/g, '').slice(0, longestTag)

/** Periods of UTC days up to today that a badge may count instead of all views. */
export const periods = ['today', '7d', '30d'] as const
export type Period = (typeof periods)[number]
export const defaultColor = 'brightgreen'
export const defaultLabel = 'views'

/** `camo` is GitHub's image proxy, `other` any other client. */
export const sources = ['camo', 'other'] as const
export type Source = (typeof sources)[number]
