import { sql } from 'kysely'
import * as z from 'zod/mini'
import { parseJson } from '../../../platform/body.ts'
import type { Queries } from '../../../platform/db/open.ts'
import { deleteInBatches } from '../../../platform/db/rows/write.ts'
import type { Tables } from '../../../platform/db/tables.ts'
import { days, hours, type Instant } from '../../../shared/time.ts'
import { MessageId } from '../message/message.ts'
import { firstIdOf } from '../queue/store.ts'
import { Facts, mergeFacts, type Step } from './deploy-facts.ts'

/** A deploy and its card, which may not be posted yet. */
export type DeployCard = {
  /** The id of the event that started the card. */
  id: string
  webhookId: string
  threadId: string | null
  messageId: string | null
  /** Where a failure was announced: not yet, in the new card, or in its own message. */
  failureNotice: 'no' | 'card' | 'message'
  editedFor: string | null
  facts: Facts
}

/** An event's card. `merged`: other cards of the same deploy. `separated`: the card of another deploy's release. */
export type Match = { card: DeployCard; merged: readonly DeployCard[]; separated: DeployCard | undefined }

/** Finds the card of an event's facts among the known cards, or starts a new one for the destination. */
export function matchCard(
  candidates: readonly DeployCard[],
  facts: Facts,
  destination: Pick<DeployCard, 'id' | 'webhookId' | 'threadId'>,
): Match {
  const blank = { ...destination, messageId: null, failureNotice: 'no', editedFor: null } as const
  const alike = (likeness: Likeness) => candidates.filter((card) => likenessOf(card.facts, facts) === likeness)
  const likely = alike('likely')
  const sure = alike('known')
  // Several likely cards are ambiguous, so none of them matches.
  const same = sure.length > 0 || likely.length > 1 ? sure : likely
  // Keep the oldest message, which stays where users have seen it.
  const [first = { ...blank, facts }, ...merged] = same.toSorted(byMessage)
  const all = same.reduce((joined, card) => mergeFacts(joined, card.facts), facts)
  const notice = [first, ...merged].find((card) => card.failureNotice !== 'no')?.failureNotice ?? 'no'
  const card = {
    ...first,
    facts: all,
    failureNotice: first.failureNotice === 'no' && notice === 'card' ? 'message' : notice,
  }
  if (!isContradictory(all) || !all.release) return { card, merged, separated: undefined }
  const { release, ...build } = all
  // The release keeps the message, and the build starts a new card.
  return { card: { ...blank, facts: build }, merged, separated: { ...card, facts: { app: all.app, release } } }
}

const byMessage = (one: DeployCard, other: DeployCard) =>
  Number(one.messageId === null) - Number(other.messageId === null) || (one.id < other.id ? -1 : 1)

/** The maximum time from a build's start to its release's start. */
const longestBuild = hours(24)

/** Descriptions of releases of a slug that was built earlier: they aren't part of that build's deploy. */
const nonDeployDescription =
  /^(?:rollback|promote|set|unset|remove|add|attach|detach|update|upgrade|change|enable|disable|initial|maintenance)\b/i
const isDeploy = ({ begun, ended }: Step) => !nonDeployDescription.test(ended?.description ?? begun?.description ?? '')

/** `known`: an id, slug or version is equal. `likely`: only the app, the time and (if both have one) commit match. */
type Likeness = 'known' | 'likely' | 'none'

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

/** Within an app, a version identifies a release. */
const isReleaseOf = (build: Step, release: Step, isSameApp: boolean) =>
  build.release === release.id || (isSameApp && build.version !== undefined && build.version === release.version)

/** Compares times and commits, because a build in progress names neither its slug nor its release. */
function couldRelease(build: Step, release: Step): boolean {
  const [built, released] = [build.begun?.from ?? build.ended?.from, release.begun?.from ?? release.ended?.from]
  if (built === undefined || released === undefined) return false
  if (released < built || released > built + longestBuild) return false
  if (build.ended && build.ended.status !== 'succeeded') return false
  const [one, other] = [build.hash, release.hash]
  return one === undefined || other === undefined || one.startsWith(other) || other.startsWith(one)
}

/** Whether the build names another release or slug than those of the release that was matched with it. */
function isContradictory({ app, build, release }: Facts): boolean {
  if (!build || !release) return false
  const namesSlugs = build.slug !== undefined && release.slug !== undefined
  const isNamed = build.release !== undefined || build.version !== undefined || namesSlugs
  return isNamed && likenessOfSteps(build, release, app.id !== undefined) === 'none'
}

/** How many cards an entry keeps, and for how long after their last event. */
const maxCards = 200
const maxAge = days(30)
/** The maximum age of cards that an event can match without a common id, and how many are compared. */
const recentFor = days(1)
const maxCompared = 50

export function cardStore(q: Queries) {
  const ofEntry = (entryId: string) => q.selectFrom('relay_card').where('entry_id', '=', entryId)

  return {
    /** The cards of an entry that may match these facts: those with a common id, and those of the last day. */
    async findCandidates(entryId: string, { build, release }: Facts, now: Instant): Promise<DeployCard[]> {
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

/** A row may come from an import, so invalid values are treated as missing. */
const StoredCard = z.object({
  message_id: z.catch(z.nullable(MessageId), null),
  told: z.catch(z.enum(['no', 'card', 'message']), 'no'),
  facts: z.pipe(
    z.string(),
    z.transform((text) => Facts.safeParse(parseJson(text)).data),
  ),
})

function cardOf(row: Tables['relay_card']): DeployCard[] {
  const { message_id: messageId, told: failureNotice, facts } = StoredCard.parse(row)
  if (!facts) return []
  const { id, webhook_id: webhookId, thread_id: threadId, edited_for: editedFor } = row
  return [{ id, webhookId, threadId, messageId, failureNotice, editedFor, facts }]
}

const rowOf = (entryId: string, card: DeployCard, at: Instant): Tables['relay_card'] => ({
  entry_id: entryId,
  id: card.id,
  webhook_id: card.webhookId,
  thread_id: card.threadId,
  message_id: card.messageId,
  told: card.failureNotice,
  edited_for: card.editedFor,
  build_id: card.facts.build?.id ?? null,
  release_id: card.facts.release?.id ?? card.facts.build?.release ?? null,
  slug_id: card.facts.release?.slug ?? card.facts.build?.slug ?? null,
  facts: JSON.stringify(card.facts),
  touched_at: at,
})
