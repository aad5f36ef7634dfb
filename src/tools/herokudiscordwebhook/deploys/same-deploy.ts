import { hours } from '../../../shared/time.ts'
import type { Facts, Step } from './facts.ts'

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
export function isContradictory({ app, build, release }: Facts): boolean {
  if (!build || !release) return false
  const namesSlugs = build.slug !== undefined && release.slug !== undefined
  const isNamed = build.release !== undefined || build.version !== undefined || namesSlugs
  return isNamed && likenessOfSteps(build, release, app.id !== undefined) === 'none'
}
