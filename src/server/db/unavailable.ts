/** Why a database takes no statement: it does not answer, another program holds its lock, or its disk is full. */
export type Unavailability = 'unreachable' | 'locked' | 'full'

const sentences: Record<Unavailability, string> = {
  unreachable: "The database isn't answering. Try again in a moment.",
  locked: 'The database is locked by another program. Try again in a moment.',
  full: "The server's disk is full, so nothing was saved.",
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
