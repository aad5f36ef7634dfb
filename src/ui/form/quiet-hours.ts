import type { Quiet } from '../../shared/quiet.ts'

export const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

/** The initial quiet hours after turning them on: every night. */
export const nightsIn = (zone: string): Quiet => ({
  zone,
  days: [1, 2, 3, 4, 5, 6, 7],
  from: '22:00',
  to: '07:00',
})
