import { hours, type Milliseconds, minutes } from '../../../shared/time.ts'

/** So many targets that answered within the last hour and fall silent together are evidence against the network. */
const several = 3
const remembered = hours(1)
const silenceCounts = minutes(3)
const mostRemembered = 10_000

/** No answer since `since`; `answersBefore` is how many answers had been counted by then. */
type Silence = { since: Milliseconds; last: Milliseconds; answersBefore: number; owners: Set<string> }

/** Who answered recently and who fell silent, by host and port. Everything is bounded, and the oldest is dropped first. */
export function createEvidence(elapsed: () => Milliseconds) {
  const owners = new Map<string, Milliseconds>()
  const answers = new Map<string, Milliseconds>()
  const silent = new Map<string, Silence>()
  let answerCount = 0

  /** A target that stayed silent while others answered is no evidence. */
  const counts = ({ last, answersBefore }: Silence) =>
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
    /** Notes that this owner has entries that are visited. */
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
    /** Since when this target has been silent; undefined if others answered meanwhile. */
    silentSince(target: string): Milliseconds | undefined {
      const silence = silent.get(target)
      return silence && counts(silence) ? silence.since : undefined
    },
    /** Forgets who is silent. */
    clear: () => silent.clear(),
    /** Whether targets of two owners, or several that answered recently, have fallen silent since the last answer. */
    isEnough(): boolean {
      const silentOwners = new Set<string>()
      let answeredLately = 0
      for (const [target, silence] of silent) {
        if (!counts(silence)) continue
        for (const owner of silence.owners) silentOwners.add(owner)
        if (elapsed() - lastAnswer(target) <= remembered) answeredLately += 1
        if (silentOwners.size > 1 || answeredLately >= several) return true
      }
      return false
    },
    /** Whether enough targets are known that the evidence could ever suffice. */
    mayBecomeEnough: () => lately(owners) > 1 || lately(answers) >= several,
  }
}

/** Puts the newest last and drops the oldest beyond the limit. */
function put<T>(map: Map<string, T>, key: string, value: T) {
  map.delete(key)
  map.set(key, value)
  if (map.size <= mostRemembered) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
