import { type Finding, ok, warning } from '../../platform/finding.ts'
import { days, type Instant } from '../../shared/time.ts'

/** An active user with a level of Admin; `isFull` with level 2. */
export type Admin = {
  name: string
  isFull: boolean
  /** Null for one who has never signed in. */
  lastUsedAt: Instant | null
  /** Whether they have a password, and no second step. */
  hasOnlyPassword: boolean
}

const usuallySeenWithin = days(90)

/** Whether admins can stand in for each other, are still there, and are hard to impersonate. */
export function checkAdmins(admins: readonly Admin[], now: Instant): Finding[] {
  const count = admins.filter(({ isFull }) => isFull).length
  const absent = admins.filter(({ lastUsedAt }) => lastUsedAt === null || now - lastUsedAt > usuallySeenWithin)
  const weak = admins.filter(({ hasOnlyPassword }) => hasOnlyPassword)
  return [
    count > 1
      ? ok(`${count} users have the role Admin 2.`)
      : warning(
          'Only one user has the role Admin 2. If they lose access, nobody else can help.',
          'Assign the role Admin 2 to a second user.',
        ),
    absent.length === 0
      ? ok('All admins have been active within the last 90 days.')
      : warning(
          `${named(absent)} ${absent.length === 1 ? "hasn't" : "haven't"} been active within the last 90 days.`,
          'Take the role Admin from everyone who no longer needs it.',
        ),
    weak.length === 0
      ? ok('Every admin with a password has a second step.')
      : warning(
          `${named(weak)} can sign in with a password alone.`,
          'Ask them to turn on two-step sign-in, or require it with REQUIRE_SECOND_FACTOR=admins.',
        ),
  ]
}

const mostNames = 5

/** `ada`, `ada and bob`, `ada, bob, cid, dan, eve and 3 others`. */
function named(people: readonly Admin[]): string {
  const names = people.slice(0, mostNames).map(({ name }) => name)
  const others = people.length - names.length
  if (others > 0) return `${names.join(', ')} and ${others === 1 ? '1 other' : `${others} others`}`
  return names.length === 1 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
