import * as z from 'zod'
import { wholeNumber } from '../../platform/config/values.ts'

export const analyticsbadgeVariables = z
  .object({ BADGE_NEW_TAGS_PER_HOUR: wholeNumber(0, 1e9).prefault('10000') })
  .transform(({ BADGE_NEW_TAGS_PER_HOUR }) => ({ badgeNewTagsPerHour: BADGE_NEW_TAGS_PER_HOUR }))
export type AnalyticsbadgeConfig = Readonly<z.infer<typeof analyticsbadgeVariables>>
