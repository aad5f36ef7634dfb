/** Why a database accepts no statements, as the sentences below explain. */
export type Unavailability = 'unreachable' | 'refused' | 'readOnly' | 'locked' | 'full' | 'disk' | 'damaged'

const sentences: Record<Unavailability, string> = {
  unreachable: "The database isn't answering. Try again in a moment.",
  refused: "The database refuses what ToolBox needs. An admin has to change its role's rights.",
  readOnly: 'The database is read-only at the moment. Try again later.',
  locked: 'The database is locked by another program. Try again in a moment.',
  full: "The server's disk is full, so nothing was saved.",
  disk: "The server's disk doesn't work, so nothing was saved.",
  damaged: 'The database is damaged. An admin has to restore a backup.',
}

/** The database can't be used at the moment. The message is a sentence for users, `cause` is the driver's error. */
export class DatabaseUnavailable extends Error {
  readonly why: Unavailability
  constructor(why: Unavailability, cause?: unknown) {
    super(sentences[why], { cause })
    this.name = 'DatabaseUnavailable'
    this.why = why
  }
}

/** Repeats the statement that failed; rejects while it still fails. */
type Retry = () => Promise<unknown>

/** Remembers why a statement failed until a check succeeds. Another write proves nothing: it may be a small one. */
export function failureWatch() {
  let failure: { why: Unavailability; retry: Retry | undefined } | undefined
  return {
    /** `retry` is for statements that can be repeated without harm. */
    failed(error: unknown, retry?: Retry) {
      if (error instanceof DatabaseUnavailable) failure = { why: error.why, retry }
    },
    failing: () => failure?.why,
    /** Ends the failure if the failed statement and the callback succeed, and nothing else has failed since. */
    async check(work: () => Promise<unknown>) {
      const checked = failure
      // Damage found by a write persists, whatever succeeds elsewhere.
      if (checked?.why === 'damaged' && !checked.retry) return
      await checked?.retry?.()
      await work()
      if (failure === checked) failure = undefined
    },
  }
}
export type FailureWatch = ReturnType<typeof failureWatch>
