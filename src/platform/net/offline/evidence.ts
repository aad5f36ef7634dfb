import { hours, type Milliseconds, minutes } from '../../../shared/time.ts'

/** Targets that answered within the last hour and now fall silent together speak against the network. */
const several = 3
const remembered = hours(1)
const silenceCounts = minutes(3)
const mostRemembered = 10_000

/** No answer since `since`, when so many answers of others had been counted. */
type Silence = { since: Milliseconds; last: Milliseconds; answersBefore: number; owners: Set<string> }

/** Who answered lately and who fell silent, by host and port. All of it is bounded, and the oldest goes first. */
export function createEvidence(elapsed: () => Milliseconds) {
  const owners = new Map<string, Milliseconds>()
  const answers = new Map<string, Milliseconds>()
  const silent = new Map<string, Silence>()
  let answerCount = 0

  /** Whoever was silent already while others answered says nothing. */
  const speaks = ({ last, answersBefore }: Silence) =>
    answersBefore === answerCount && elapsed() - last <= silenceCounts
  const lastAnswer = (target: string) => answers.get(target) ?? Number.NEGATIVE_INFINITY
  const lately = (seen: Map<string, Milliseconds>) => {
    for (const [key, at] of seen) {
      if (elapsed() - at <= remembered) break
      seen.delete(key)
    }
    return seen.size
  }

  return {
    lastAnswer,
    /** This owner has entries that are visited. */
    met: (ownerId: string) => put(owners, ownerId, elapsed()),
    answered(target: string) {
      put(answers, target, elapsed())
      silent.delete(target)
      answerCount += 1
    },
    fellSilent(target: string, ownerId: string) {
      const at = elapsed()
      const silence = silent.get(target) ?? { since: at, last: at, answersBefore: answerCount, owners: new Set() }
      silence.last = at
      silence.owners.add(ownerId)
      put(silent, target, silence)
    },
    /** Since when this target has been silent; undefined when others answered meanwhile. */
    silentSince(target: string): Milliseconds | undefined {
      const silence = silent.get(target)
      return silence && speaks(silence) ? silence.since : undefined
    },
    /** Forgets who is silent. */
    clear: () => silent.clear(),
    /** Whether targets of two owners, or several that answered lately, have fallen silent since the last answer. */
    isEnough(): boolean {
      const silentOwners = new Set<string>()
      let answeredLately = 0
      for (const [target, silence] of silent) {
        if (!speaks(silence)) continue
        for (const owner of silence.owners) silentOwners.add(owner)
        if (elapsed() - lastAnswer(target) <= remembered) answeredLately += 1
        if (silentOwners.size > 1 || answeredLately >= several) return true
      }
      return false
    },
    /** Whether so many are known that it could ever be enough. */
    mayBecomeEnough: () => lately(owners) > 1 || lately(answers) >= several,
  }
}

/** Keeps the newest last, and not too many. */
function put<T>(map: Map<string, T>, key: string, value: T) {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > mostRemembered && oldest !== undefined) map.delete(oldest)
}
