export type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 429 | 503

/** An error whose message is sent to the caller. Any other error becomes a 500, and its message is only logged. */
export class HttpError extends Error {
  readonly status: ErrorStatus
  /** Messages by name of the body's field. */
  readonly fields: Record<string, string> | undefined
  /** Seconds to wait before the next attempt, sent as Retry-After. */
  readonly retryAfter: number | undefined
  /** Whether the caller may try again after re-authentication. */
  readonly reauthenticate: boolean
  constructor(
    status: ErrorStatus,
    message: string,
    more: {
      fields?: Record<string, string> | undefined
      retryAfter?: number | undefined
      reauthenticate?: boolean
    } = {},
  ) {
    super(message)
    this.name = 'HttpError'
    this.status = status
    this.fields = more.fields
    this.retryAfter = more.retryAfter
    this.reauthenticate = more.reauthenticate ?? false
  }
}

/** The 401 for a caller who was deleted after their request was authenticated. */
export const callerDeleted = () => new HttpError(401, 'Sign in first.')
export const notFound = (what: string) => new HttpError(404, `${what} not found.`)
export const invalid = (field: string, why: string) => new HttpError(400, why, { fields: { [field]: why } })
export const fieldConflict = (field: string, why: string) => new HttpError(409, why, { fields: { [field]: why } })

const unitsOfWait = { second: ['a second', 1_000], minute: ['a minute', 60_000], hour: ['an hour', 3_600_000] } as const

export function formatWait(wait: number, unit: keyof typeof unitsOfWait): string {
  const [one, length] = unitsOfWait[unit]
  const count = Math.ceil(wait / length)
  return count <= 1 ? one : `${count} ${unit}s`
}

/** A 429 whose message gives the wait in this unit; `wait` itself is in ms. */
export const tooMany = (refusal: string, wait: number, unit: keyof typeof unitsOfWait) =>
  new HttpError(429, `${refusal} Try again in ${formatWait(wait, unit)}.`, {
    retryAfter: Math.max(1, Math.ceil(wait / 1_000)),
  })
