import type { PageContract } from '../../entries/contract.ts'

export const analyticsbadgeNames = {
  kind: 'page',
  id: 'analyticsbadge',
  label: 'Analytics Badge',
} as const satisfies PageContract
