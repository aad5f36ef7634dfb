import { type Milliseconds, minutes } from '../../../shared/time.ts'

/** Views come from elsewhere, so screens look for them by themselves. */
export const lookEvery: Milliseconds = minutes(1)
