import { hours } from '../../../shared/time.ts'
import { type Facts, join, type Step } from './facts.ts'

/** A deploy with its card, as far as there is one. */
export type DeployCard = {
  /** The id of the event that it began with. */
  id: string
  webhookId: string
  threadId: string | null
  messageId: string | null
  /** Where a failure was told: not yet, in the card when it was posted, or in a message of its own. */
  told: 'no' | 'card' | 'message'
  editedFor: string | null
  facts: Facts
}

/** Where an event belongs. `absorbed`: what turned out to be the same deploy. `apart`: the card of a release that turned out not to be. */
export type Placed = { card: DeployCard; absorbed: readonly DeployCard[]; apart: DeployCard | undefined }

/** Finds the card of what an event says among the known ones, or begins one with this id. */
export function place(known: readonly DeployCard[], facts: Facts, blank: Omit<DeployCard, 'facts'>): Placed {
  const sameAs = (likeness: string) => known.filter((card) => likenessOf(card.facts, facts) === likeness)
  const likely = sameAs('likely')
  const sure = sameAs('known')
  // Of several that are only likely, none is.
  const same = sure.length > 0 || likely.length > 1 ? sure : likely
  // The oldest message stays, and is found where it was.
  const [first = { ...blank, facts }, ...absorbed] = same.toSorted(byMessage)
  const all = same.reduce((joined, card) => join(joined, card.facts), facts)
  const told = [first, ...absorbed].find((card) => card.told !== 'no')?.told ?? 'no'
  const card = { ...first, facts: all, told: first.told === 'no' && told === 'card' ? 'message' : told }
  if (!isContradictory(all) || !all.release) return { card, absorbed, apart: undefined }
  const { release, ...build } = all
  // The message stays with the release, and the build begins anew.
  return { card: { ...blank, facts: build }, absorbed, apart: { ...card, facts: { app: all.app, release } } }
}

const byMessage = (one: DeployCard, other: DeployCard) =>
  Number(one.messageId === null) - Number(other.messageId === null) || (one.id < other.id ? -1 : 1)

/** How long after a build began its release may begin. */
const longestBuild = hours(24)

/** Releases that Heroku makes of a slug that was built before: they are no part of that build's deploy. */
const madeOtherwise =
  /^(?:rollback|promote|set|unset|remove|add|attach|detach|update|upgrade|change|enable|disable|initial|maintenance)\b/i
const isDeploy = ({ begun, ended }: Step) => !madeOtherwise.test(ended?.description ?? begun?.description ?? '')

/** `known`: they name each other. `likely`: they have only the app, the time and, if both name one, the commit in common. */
type Likeness = 'known' | 'likely' | 'none'

/** Whether two are about the same deploy. */
export function likenessOf(one: Facts, other: Facts): Likeness {
  if (one.build && one.build.id === other.build?.id) return 'known'
  if (one.release && one.release.id === other.release?.id) return 'known'
  if ((one.build && other.build) || (one.release && other.release)) return 'none'
  const isSameApp = one.app.id !== undefined && one.app.id === other.app.id
  const build = one.build ?? other.build
  const release = one.release ?? other.release
  return build && release ? likenessOfSteps(build, release, isSameApp) : 'none'
}

function likenessOfSteps(build: Step, release: Step, isSameApp: boolean): Likeness {
  if (build.release !== undefined || build.version !== undefined)
    return isReleaseOf(build, release, isSameApp) ? 'known' : 'none'
  if (!isDeploy(release)) return 'none'
  if (build.slug !== undefined && release.slug !== undefined) return build.slug === release.slug ? 'known' : 'none'
  return isSameApp && couldRelease(build, release) ? 'likely' : 'none'
}

/** A version is one release of an app. */
const isReleaseOf = (build: Step, release: Step, isSameApp: boolean) =>
  build.release === release.id || (isSameApp && build.version !== undefined && build.version === release.version)

/** While a build is under way it names neither its slug nor its release. */
function couldRelease(build: Step, release: Step): boolean {
  const [built, released] = [build.begun?.from ?? build.ended?.from, release.begun?.from ?? release.ended?.from]
  if (built === undefined || released === undefined) return false
  if (released < built || released > built + longestBuild) return false
  if (build.ended && build.ended.status !== 'succeeded') return false
  const [one, other] = [build.hash, release.hash]
  return one === undefined || other === undefined || one.startsWith(other) || other.startsWith(one)
}

/** The build names another release or slug than those of the release that seemed to be its own. */
function isContradictory({ app, build, release }: Facts): boolean {
  if (!build || !release) return false
  const namesSlugs = build.slug !== undefined && release.slug !== undefined
  const isNamed = build.release !== undefined || build.version !== undefined || namesSlugs
  return isNamed && likenessOfSteps(build, release, app.id !== undefined) === 'none'
}
