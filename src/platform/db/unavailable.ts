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

/** Remembers why the last write failed, until one succeeds. */
export function writeWatch() {
  let failing: Unavailability | undefined
  return {
    failed(error: unknown) {
      if (error instanceof DatabaseUnavailable) failing = error.why
    },
    succeeded() {
      failing = undefined
    },
    failing: () => failing,
  }
}
export type WriteWatch = ReturnType<typeof writeWatch>
