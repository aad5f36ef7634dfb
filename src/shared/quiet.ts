import * as z from 'zod/mini'
import { isZone } from './zone.ts'

const Zone = z
  .string({ error: 'Enter a time zone, such as Europe/Berlin.' })
  .check(z.maxLength(64), z.refine(isZone, { error: 'Enter a time zone, such as Europe/Berlin.' }))
const time = { error: 'Enter a time from 00:00 to 23:59.' }
const Time = z.string(time).check(z.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, time))
const Day = z.int({ error: 'Use days from 1 (Monday) to 7 (Sunday).' }).check(z.minimum(1), z.maximum(7))

/** Quiet hours: one window a day, which may cross midnight and belongs to the day it begins on. Monday is 1. */
export const Quiet = z
  .strictObject({
    zone: Zone,
    days: z.array(Day).check(
      z.minLength(1, { error: 'Choose at least one day.' }),
      z.refine((days) => new Set(days).size === days.length, { error: 'Use each day only once.' }),
    ),
    from: Time,
    to: Time,
  })
  .check(z.refine(({ from, to }) => from !== to, { error: 'Choose two different times.', path: ['to'] }))
export type Quiet = z.infer<typeof Quiet>
