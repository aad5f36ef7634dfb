/** Why a database takes no statement: it does not answer, another program holds its lock, its disk is full or fails, or its file is damaged. */
export type Unavailability = 'unreachable' | 'locked' | 'full' | 'disk' | 'damaged'

const sentences: Record<Unavailability, string> = {
  unreachable: "The database isn't answering. Try again in a moment.",
  locked: 'The database is locked by another program. Try again in a moment.',
  full: "The server's disk is full, so nothing was saved.",
  disk: "The server's disk doesn't work, so nothing was saved.",
  damaged: 'The database is damaged. An admin has to restore a backup.',
}

/** The database cannot be used at the moment; its message is a sentence for people, `cause` is what the driver said. */
export class DatabaseUnavailable extends Error {
  readonly why: Unavailability
  constructor(why: Unavailability, cause?: unknown) {
    super(sentences[why], { cause })
    this.name = 'DatabaseUnavailable'
    this.why = why
  }
}

/** Tries what failed once more; rejects while it still fails. */
type Retry = () => Promise<unknown>

/** Remembers why a statement failed until a check succeeds: that another write did says nothing, since it may have had nothing to write, or little. */
export function failureWatch() {
  let failure: { why: Unavailability; retry: Retry | undefined } | undefined
  return {
    /** `retry` for what can be done again without harm. */
    failed(error: unknown, retry?: Retry) {
      if (error instanceof DatabaseUnavailable) failure = { why: error.why, retry }
    },
    failing: () => failure?.why,
    /** Takes the database as working again when what failed and this work succeed, and nothing else failed meanwhile. */
    async check(work: () => Promise<unknown>) {
      const checked = failure
      // Damage that only a write has met is still there, whatever succeeds elsewhere.
      if (checked?.why === 'damaged' && !checked.retry) return
      await checked?.retry?.()
      await work()
      if (failure === checked) failure = undefined
    },
  }
}
export type FailureWatch = ReturnType<typeof failureWatch>
