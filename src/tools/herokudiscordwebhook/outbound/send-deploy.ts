import type { Context } from '../../../platform/context.ts'
import type { Queries } from '../../../platform/db/open.ts'
import type { Webhook } from '../../../shared/urls/discord-webhook.ts'
import { deployMessage, hasFailed } from '../deploys/deploy-message.ts'
import type { Facts } from '../deploys/facts.ts'
import { type DeployCard, type Placed, place } from '../deploys/place.ts'
import { cardStore } from '../deploys/store.ts'
import type { Settings } from '../secrets.ts'
import type { AttemptWebhook, Posted } from './discord.ts'

type Options = {
  entryId: string
  /** The id of the event. */
  eventId: string
  facts: Facts
  discord: AttemptWebhook
  hook: Webhook
  settings: Pick<Settings, 'showActor' | 'mentionRole'>
  context: Context
}
/** How it went, and what of the cards to write in the transaction of the verdict. */
export type Sent = { posted: Posted; write: ((tx: Queries) => Promise<void>) | undefined }

/**
 * Brings what an event says into the card of its deploy. At most one call makes a new message, and it is the last one, so
 * that being killed in between repeats no more than that message.
 */
export async function sendDeploy(options: Options): Promise<Sent> {
  const { entryId, eventId, facts, hook, context } = options
  const known = await cardStore(context.db.q).near(entryId, facts, context.now())
  const nowhere = { webhookId: hook.id, threadId: hook.threadId, messageId: null, told: 'no', editedFor: null } as const
  const placed = place(known, facts, { id: eventId, ...nowhere })
  const trouble = (await removeAll(placed.absorbed, options)) ?? (await part(placed.apart, options))
  if (trouble) return { posted: trouble, write: undefined }
  const { posted, card } = await send(placed.card, options)
  return { posted, write: writing(options, { ...placed, card }) }
}

type After = { posted: Posted; card: DeployCard }

async function send(card: DeployCard, options: Options): Promise<After> {
  const { discord, eventId, hook, settings } = options
  const isThere = card.messageId !== null && isAt(card, hook)
  const hasNews = hasFailed(card.facts) && card.told === 'no'
  if (!isThere || card.messageId === null) return begin(card, hasNews, options)
  let posted: Posted | undefined
  if (card.editedFor !== eventId) {
    const message = deployMessage(card.facts, { ...settings, mentionRole: inCard(card, settings) })
    posted = await discord.edit(card.messageId, message)
    if (posted.kind === 'messageGone' || posted.kind === 'refused') return begin(card, hasNews, options)
    if (posted.kind !== 'delivered') return { posted, card }
    posted = { ...posted, note: `${posted.note}, card edited` }
  }
  if (!hasNews && posted) return { posted, card: { ...card, editedFor: null } }
  // An edit notifies nobody, so a failure is told by a message of its own.
  const edited = { ...card, editedFor: eventId }
  const told = await discord.post(deployMessage(card.facts, settings), { isUrgent: false })
  if (told.kind !== 'delivered') return { posted: told, card: edited }
  const note = `${told.note}, card edited and failure posted`
  return { posted: { ...told, note }, card: { ...card, told: 'message', editedFor: null } }
}

/** Deletes the messages of these cards; answers what keeps it from that, unless trying again wouldn't help. */
async function removeAll(cards: readonly DeployCard[], { discord, hook }: Options): Promise<Posted | undefined> {
  for (const card of cards) {
    if (card.messageId === null || !isAt(card, hook)) continue
    const removed = await discord.remove(card.messageId)
    if (!isSettled(removed)) return removed
  }
  return undefined
}

/** Takes out of a card what turned out to belong to another. */
async function part(card: DeployCard | undefined, { discord, hook, settings }: Options) {
  if (!card || card.messageId === null || !isAt(card, hook)) return undefined
  const message = deployMessage(card.facts, { ...settings, mentionRole: inCard(card, settings) })
  const parted = await discord.edit(card.messageId, message)
  return isSettled(parted) ? undefined : parted
}

/** Trying again wouldn't help. */
const isSettled = ({ kind }: Posted) => kind === 'delivered' || kind === 'messageGone' || kind === 'refused'

/** Posts the card as a new message, which also tells a failure that is news. */
async function begin(card: DeployCard, hasNews: boolean, { discord, hook, settings }: Options): Promise<After> {
  const told = hasNews ? 'card' : card.told
  const message = deployMessage(card.facts, { ...settings, mentionRole: hasNews ? settings.mentionRole : null })
  const posted = await discord.post(message)
  const { id, facts } = card
  const at = { webhookId: hook.id, threadId: hook.threadId, editedFor: null }
  if (posted.kind !== 'delivered') return { posted, card: { ...card, editedFor: null } }
  return { posted, card: { id, facts, ...at, told, messageId: posted.messageId ?? null } }
}

/** A card keeps the mention that it was posted with. */
const inCard = ({ told }: DeployCard, { mentionRole }: Options['settings']) => (told === 'card' ? mentionRole : null)

const isAt = ({ webhookId, threadId }: DeployCard, hook: Webhook) => webhookId === hook.id && threadId === hook.threadId

const writing =
  ({ entryId, context }: Options, { card, absorbed, apart }: Placed) =>
  async (tx: Queries) => {
    const store = cardStore(tx)
    await store.remove(
      entryId,
      absorbed.map(({ id }) => id),
    )
    for (const one of apart ? [card, apart] : [card]) await store.write(entryId, one, context.now())
  }
