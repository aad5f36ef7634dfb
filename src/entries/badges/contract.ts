/** What a badge of an entry may show, for both sides; the first of each is the default. */
export const badgeTypes = ['status', 'uptime', 'latency'] as const
export type BadgeType = (typeof badgeTypes)[number]
export const badgePeriods = ['24h', '7d', '30d', '90d'] as const
export type BadgePeriod = (typeof badgePeriods)[number]
