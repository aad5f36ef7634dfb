/** Values of a badge's `type` and `period`, shared by server and browser. The first of each is the default. */
export const badgeTypes = ['status', 'uptime', 'latency'] as const
export type BadgeType = (typeof badgeTypes)[number]
export const badgePeriods = ['24h', '7d', '30d', '90d'] as const
export type BadgePeriod = (typeof badgePeriods)[number]
