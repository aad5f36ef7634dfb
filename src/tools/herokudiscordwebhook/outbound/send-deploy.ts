import type { Context } from '../../../platform/context.ts'
import type { Queries } from '../../../platform/db/open.ts'
import type { Webhook } from '../../../shared/urls/discord-webhook.ts'
import { type Card, formatDuration, type Head } from '../message/card.ts'
import { buildHeads, releaseHead } from '../message/deploys.ts'
import { type DiscordMessage, embedAbout, type MessageOptions, messageWith } from '../message/message.ts'
import type { Settings } from '../secrets.ts'
import { cardStore, type DeployCard, type Match, matchCard } from './deploy-cards.ts'
import { type Facts, publishedAt, type Step, type StepReport } from './deploy-facts.ts'
import type { AttemptWebhook, CallResult } from './discord.ts'

type Options = {
  entryId: string
  eventId: string
  facts: Facts
  discord: AttemptWebhook
  hook: Webhook
  settings: Pick<Settings, 'showActor' | 'mentionRole'>
  context: Context
}
/** The outcome, and the changes of cards to write in the transaction of the verdict. */
export type SendResult = { posted: CallResult; write: ((tx: Queries) => Promise<void>) | undefined }

/** At most one call posts a new message, and it is the last, so that a crash in between repeats only that message. */
export async function sendDeploy(options: Options): Promise<SendResult> {
  const { entryId, eventId, facts, hook, context } = options
  const candidates = await cardStore(context.db.q).findCandidates(entryId, facts, context.now())
  const match = matchCard(candidates, facts, { id: eventId, webhookId: hook.id, threadId: hook.threadId })
  const failed = (await removeAll(match.merged, options)) ?? (await updateSeparated(match.separated, options))
  if (failed) return { posted: failed, write: undefined }
  const { posted, card } = await updateCard(match.card, options)
  return { posted, write: saveCards(options, { ...match, card }) }
}

type CardUpdate = { posted: CallResult; card: DeployCard }

async function updateCard(card: DeployCard, options: Options): Promise<CardUpdate> {
  const { discord, eventId, hook, settings } = options
  const isThere = card.messageId !== null && isPostedTo(card, hook)
  const isNewFailure = hasFailed(card.facts) && card.failureNotice === 'no'
  if (!isThere || card.messageId === null) return postCard(card, isNewFailure, options)
  let posted: CallResult | undefined
  if (card.editedFor !== eventId) {
    const message = deployMessage(card.facts, { ...settings, mentionRole: roleInCard(card, settings) })
    posted = await discord.edit(card.messageId, message)
    if (posted.kind === 'messageGone' || posted.kind === 'refused') return postCard(card, isNewFailure, options)
    if (posted.kind !== 'delivered') return { posted, card }
    posted = { ...posted, note: `${posted.note}, card edited` }
  }
  if (!isNewFailure && posted) return { posted, card: { ...card, editedFor: null } }
  // Discord doesn't notify users of edits, so a failure is also posted as a new message.
  const edited = { ...card, editedFor: eventId }
  const notice = await discord.post(deployMessage(card.facts, settings), { isUrgent: false })
  if (notice.kind !== 'delivered') return { posted: notice, card: edited }
  const note = `${notice.note}, card edited and failure posted`
  return { posted: { ...notice, note }, card: { ...card, failureNotice: 'message', editedFor: null } }
}

/** Deletes the messages of these cards; returns the first failure that is worth a retry. */
async function removeAll(cards: readonly DeployCard[], { discord, hook }: Options): Promise<CallResult | undefined> {
  for (const card of cards) {
    if (card.messageId === null || !isPostedTo(card, hook)) continue
    const removed = await discord.remove(card.messageId)
    if (!isFinal(removed)) return removed
  }
  return undefined
}

/** Edits the message of a release from which a build was separated; returns a failure that is worth a retry. */
async function updateSeparated(card: DeployCard | undefined, { discord, hook, settings }: Options) {
  if (!card || card.messageId === null || !isPostedTo(card, hook)) return undefined
  const message = deployMessage(card.facts, { ...settings, mentionRole: roleInCard(card, settings) })
  const edited = await discord.edit(card.messageId, message)
  return isFinal(edited) ? undefined : edited
}

const isFinal = ({ kind }: CallResult) => kind === 'delivered' || kind === 'messageGone' || kind === 'refused'

/** Posts the card as a new message, which also announces a new failure. */
async function postCard(
  card: DeployCard,
  isNewFailure: boolean,
  { discord, hook, settings }: Options,
): Promise<CardUpdate> {
  const failureNotice = isNewFailure ? 'card' : card.failureNotice
  const message = deployMessage(card.facts, { ...settings, mentionRole: isNewFailure ? settings.mentionRole : null })
  const posted = await discord.post(message)
  const { id, facts } = card
  const at = { webhookId: hook.id, threadId: hook.threadId, editedFor: null }
  if (posted.kind !== 'delivered') return { posted, card: { ...card, editedFor: null } }
  return { posted, card: { id, facts, ...at, failureNotice, messageId: posted.messageId ?? null } }
}

/** An edited card keeps the mention that it was posted with. */
const roleInCard = ({ failureNotice }: DeployCard, { mentionRole }: Options['settings']) =>
  failureNotice === 'card' ? mentionRole : null

const isPostedTo = ({ webhookId, threadId }: DeployCard, hook: Webhook) =>
  webhookId === hook.id && threadId === hook.threadId

const saveCards =
  ({ entryId, context }: Options, { card, merged, separated }: Match) =>
  async (tx: Queries) => {
    const store = cardStore(tx)
    await store.remove(entryId, merged)
    for (const one of separated ? [card, separated] : [card]) await store.write(entryId, one, context.now())
  }

export function deployMessage(facts: Facts, { showActor, mentionRole }: MessageOptions): DiscordMessage {
  const { app, build, release } = facts
  const card = cardOf(facts)
  const actor = newest(release)?.actor ?? newest(build)?.actor
  const footer = [build && 'api:build', release && 'api:release'].filter(Boolean).join(' · ')
  const embed = embedAbout(
    { app, publishedAt: publishedAt(facts) || null, footer },
    { ...card, facts: [...card.facts, ['By', showActor ? actor : undefined]] },
  )
  return messageWith(embed, mentionRole)
}

export const hasFailed = (facts: Facts): boolean => headOf(facts).tone === 'bad'

const newest = (step: Step | undefined): StepReport | undefined => step?.ended ?? step?.begun
const latest = <Name extends keyof StepReport>(step: Step | undefined, name: Name): StepReport[Name] | undefined =>
  step?.ended?.[name] ?? step?.begun?.[name]

function cardOf(facts: Facts): Card {
  const { build, release } = facts
  return {
    ...headOf(facts),
    description: latest(build, 'description') ?? latest(release, 'description'),
    facts: [
      ['Commit', latest(build, 'commit') ?? latest(release, 'commit')],
      ['Build', progressOf(build)],
      ['Release', release && [versionOf(release), progressOf(release)].filter(Boolean).join(' ')],
      ['Current release', currentOf(release)],
      ['Total', build && release?.ended && formatDuration(latest(build, 'from'), release.ended.to)],
      ['Stack', latest(build, 'stack')],
    ],
  }
}

/** The headline of the latest step: the release, unless the build failed. */
function headOf({ build, release }: Facts): Head {
  const built = newest(build)
  const head = buildHeads.get(built?.status === 'expired' ? 'failed' : built?.status)
  if (head?.tone === 'bad' && !release?.ended) return head
  const released = newest(release)
  if (!release || !released) return head ?? { tone: 'quiet', emoji: '🔨', title: 'build changed' }
  const name = versionOf(release) ?? 'new version'
  const { title, ...appearance } = releaseHead(released, name, latest(release, 'description'))
  const isOut = released.status === 'succeeded' && released.current === false
  return isOut ? { ...appearance, tone: 'quiet', title: `${title}, not current` } : { ...appearance, title }
}

const versionOf = ({ version }: Step) => (version === undefined ? undefined : `v${version}`)

/** The outcome and duration of a step: `✅ 3 min 12 s`. */
function progressOf(step: Step | undefined): string | undefined {
  const last = newest(step)
  if (!step || !last) return undefined
  if (!step.ended) return last.status === 'pending' ? '⏳ in progress' : undefined
  const duration = formatDuration(latest(step, 'from'), step.ended.to)
  if (step.ended.status === 'succeeded') return `✅ ${duration ?? 'done'}`
  return `❌ ${step.ended.status}${duration ? ` after ${duration}` : ''}`
}

/** Undefined unless the release is known not to be the app's current one. */
function currentOf(release: Step | undefined): string | undefined {
  const last = newest(release)
  if (last?.current !== false) return undefined
  return release?.ended ? 'No' : 'Not yet'
}
