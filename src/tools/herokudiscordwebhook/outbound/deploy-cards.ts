import { sql } from 'kysely'
import * as z from 'zod/mini'
import { jsonIn } from '../../../platform/body.ts'
import type { Queries } from '../../../platform/db/open.ts'
import { deleteInBatches } from '../../../platform/db/rows/write.ts'
import type { Tables } from '../../../platform/db/tables.ts'
import { days, hours, type Instant } from '../../../shared/time.ts'
import { MessageId } from '../message/message.ts'
import { firstIdOf } from '../queue/store.ts'
import { Facts, join, type Step } from './deploy-facts.ts'

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

/** The card of an event. `merged`: what turned out to be the same deploy. `separated`: the card of a release that turned out not to be. */
export type Match = { card: DeployCard; merged: readonly DeployCard[]; separated: DeployCard | undefined }

/** Finds the card of what an event says among the known ones, or begins one with this id. */
export function matchCard(
  known: readonly DeployCard[],
  facts: Facts,
  destination: Pick<DeployCard, 'id' | 'webhookId' | 'threadId'>,
): Match {
  const blank = { ...destination, messageId: null, told: 'no', editedFor: null } as const
  const alike = (likeness: Likeness) => known.filter((card) => likenessOf(card.facts, facts) === likeness)
  const likely = alike('likely')
  const sure = alike('known')
  // Of several that are only likely, none is.
  const same = sure.length > 0 || likely.length > 1 ? sure : likely
  // The oldest message stays, and is found where it was.
  const [first = { ...blank, facts }, ...merged] = same.toSorted(byMessage)
  const all = same.reduce((joined, card) => join(joined, card.facts), facts)
  const told = [first, ...merged].find((card) => card.told !== 'no')?.told ?? 'no'
  const card = { ...first, facts: all, told: first.told === 'no' && told === 'card' ? 'message' : told }
  if (!isContradictory(all) || !all.release) return { card, merged, separated: undefined }
  const { release, ...build } = all
  // The message stays with the release, and the build begins anew.
  return { card: { ...blank, facts: build }, merged, separated: { ...card, facts: { app: all.app, release } } }
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

/** How many cards an entry keeps, and for how long after their last event. */
const maxCards = 200
const maxAge = days(30)
/** How old a card may be that an event matches without naming it, and how many are compared. */
const recentFor = days(1)
const maxCompared = 50

export function cardStore(q: Queries) {
  const ofEntry = (entryId: string) => q.selectFrom('relay_card').where('entry_id', '=', entryId)

  return {
    /** The cards of an entry that this may be about: those that have something in common with it, and those of the last day. */
    async near(entryId: string, { build, release }: Facts, now: Instant): Promise<DeployCard[]> {
      const releases = [release?.id, build?.release].filter((id) => id !== undefined)
      const slugs = [release?.slug, build?.slug].filter((id) => id !== undefined)
      const named = sql<number>`case when ${sql.join(
        [
          sql`build_id = ${build?.id ?? null}`,
          ...releases.map((id) => sql`release_id = ${id}`),
          ...slugs.map((id) => sql`slug_id = ${id}`),
        ],
        sql` or `,
      )} then 1 else 0 end`
      const rows = await ofEntry(entryId)
        .selectAll()
        .where((eb) => eb.or([eb(named, '=', 1), eb('id', '>', firstIdOf(now - recentFor))]))
        .orderBy(named, 'desc')
        .orderBy('id', 'desc')
        .limit(maxCompared)
        .execute()
      return rows.flatMap(cardOf)
    },

    async write(entryId: string, card: DeployCard, at: Instant) {
      const row = rowOf(entryId, card, at)
      await q
        .insertInto('relay_card')
        .values(row)
        .onConflict((conflict) => conflict.columns(['entry_id', 'id']).doUpdateSet(row))
        .execute()
      const oldest = ofEntry(entryId).select('id').orderBy('id', 'desc').limit(1).offset(maxCards)
      await q.deleteFrom('relay_card').where('entry_id', '=', entryId).where('id', '<=', oldest).execute()
    },

    async remove(entryId: string, cards: readonly DeployCard[]) {
      const ids = cards.map(({ id }) => id)
      if (ids.length > 0)
        await q.deleteFrom('relay_card').where('entry_id', '=', entryId).where('id', 'in', ids).execute()
    },

    cleanUp: (now: Instant) =>
      deleteInBatches(q, 'relay_card', { key: ['entry_id', 'id'], where: sql`touched_at < ${now - maxAge}` }),
  }
}

/** A row may come from an import: what isn't valid is as if it weren't there. */
const StoredCard = z.object({
  message_id: z.catch(z.nullable(MessageId), null),
  told: z.catch(z.enum(['no', 'card', 'message']), 'no'),
  facts: z.pipe(
    z.string(),
    z.transform((text) => Facts.safeParse(jsonIn(text)).data),
  ),
})

function cardOf(row: Tables['relay_card']): DeployCard[] {
  const { message_id: messageId, told, facts } = StoredCard.parse(row)
  if (!facts) return []
  const { id, webhook_id: webhookId, thread_id: threadId, edited_for: editedFor } = row
  return [{ id, webhookId, threadId, messageId, told, editedFor, facts }]
}

const rowOf = (entryId: string, card: DeployCard, at: Instant): Tables['relay_card'] => ({
  entry_id: entryId,
  id: card.id,
  webhook_id: card.webhookId,
  thread_id: card.threadId,
  message_id: card.messageId,
  told: card.told,
  edited_for: card.editedFor,
  build_id: card.facts.build?.id ?? null,
  release_id: card.facts.release?.id ?? card.facts.build?.release ?? null,
  slug_id: card.facts.release?.slug ?? card.facts.build?.slug ?? null,
  facts: JSON.stringify(card.facts),
  touched_at: at,
})
