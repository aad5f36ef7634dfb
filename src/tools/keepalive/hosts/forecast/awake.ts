import { type Instant, type Milliseconds, minutes } from '../../../../shared/time.ts'

/** A time without its end. */
export type Span = readonly [from: Instant, to: Instant]

export type Pinged = {
  /** From the start of a ping to the start of the next. */
  every: Milliseconds
  /** So long without a ping puts the app to sleep. */
  sleepsAfter: Milliseconds
  /** When no ping is sent, in order; what touches is one. */
  quiet: readonly Span[]
  /** A turn at its fixed rate, past or to come. */
  turnAt: Instant
}

/** Marks the minutes from an instant on in which pings keep an app awake: each does, until its idle time is over. */
export function markAwake(marks: Uint8Array, from: Instant, { every, sleepsAfter, quiet, turnAt }: Pinged): void {
  const minuteOf = (at: Instant) => Math.round((at - from) / minutes(1))
  const mark = (first: Instant, last: Instant) =>
    marks.fill(1, Math.max(0, minuteOf(first)), Math.max(0, minuteOf(last + sleepsAfter)))
  const to = from + marks.length * minutes(1)
  // What was pinged before may still be awake.
  const since = from - sleepsAfter
  let turn = turnAt - Math.floor((turnAt - since) / every) * every
  for (const [opens, closes] of without(quiet, [since, to])) {
    // As the queue does it: a turn in quiet hours waits for their end, and the next isn't too near.
    if (turn < opens) {
      mark(opens, opens)
      const next = turn + (Math.floor((opens - turn) / every) + 1) * every
      turn = next - opens < every / 2 ? opens + every : next
    }
    const turns = Math.ceil((closes - turn) / every)
    if (turns <= 0) continue
    if (every <= sleepsAfter) mark(turn, turn + (turns - 1) * every)
    else for (let count = 0; count < turns; count += 1) mark(turn + count * every, turn + count * every)
    turn += turns * every
  }
}

/** What is left of a time without these. */
function without(quiet: readonly Span[], [from, to]: Span): Span[] {
  const spans: Span[] = []
  let at = from
  for (const [begins, ends] of quiet) {
    if (begins > at) spans.push([at, Math.min(begins, to)])
    at = Math.max(at, ends)
    if (at >= to) return spans
  }
  return [...spans, [at, to]]
}
