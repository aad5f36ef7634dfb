/** A duration in milliseconds; the functions below name other units. */
export type Milliseconds = number
/** A point in time: milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number

export const seconds = (n: number): Milliseconds => n * 1_000
export const minutes = (n: number): Milliseconds => seconds(n * 60)
export const hours = (n: number): Milliseconds => minutes(n * 60)
export const days = (n: number): Milliseconds => hours(n * 24)

/** The current time, but at least 1 ms after `before`, even if the clock was set back or has stopped. */
export const laterThan = (before: Instant, now: Instant): Instant => Math.max(now, before + 1)

/** As `yyyy-mm-dd`, in UTC. */
export const dayOf = (at: Instant): string => new Date(at).toISOString().slice(0, 10)
