import type { Context } from '../../../platform/context.ts'
import type { Queries } from '../../../platform/db/open.ts'
import type { Webhook } from '../../../shared/urls/discord-webhook.ts'
import { deployMessage, hasFailed } from '../deploys/deploy-message.ts'
import type { Facts } from '../deploys/facts.ts'
import { type DeployCard, type Placed, place } from '../deploys/place.ts'
import { cardStore } from '../deploys/store.ts'
import { plainTextOf } from '../message/message.ts'
import type { Settings } from '../secrets.ts'
import { edit, type Posted, post, remove } from './discord.ts'
import { discordRateLimiterOf } from './rate-limit.ts'

type Options = {
  entryId: string
  /** The id of the event. */
  eventId: string
  facts: Facts
  hook: Webhook
  settings: Pick<Settings, 'showActor' | 'mentionRole'>
  context: Context
  /** False once another instance may be sending it. */
  isOurs: () => boolean
}
/** How it went, how often Discord was called, and what of the cards to write in the transaction of the verdict. */
export type Sent = { posted: Posted; calls: number; write: ((tx: Queries) => Promise<void>) | undefined }

/**
 * Brings what an event says into the card of its deploy. At most one call makes a new message, and it is the last one, so
 * that being killed in between repeats no more than that message.
 */
export async function sendDeploy(options: Options): Promise<Sent> {
  const { entryId, eventId, facts, hook, context } = options
  const known = await cardStore(context.db.q).near(entryId, facts, context.now())
  const nowhere = { webhookId: hook.id, threadId: hook.threadId, messageId: null, told: 'no', editedFor: null } as const
  const placed = place(known, facts, { id: eventId, ...nowhere })
  const discord = countedDiscord(options)
  const trouble = (await discord.removeAll(placed.absorbed)) ?? (await part(discord, placed.apart, options))
  if (trouble) return { posted: trouble, calls: discord.calls(), write: undefined }
  const { posted, card } = await send(discord, placed.card, options)
  return { posted, calls: discord.calls(), write: writing(options, { ...placed, card }) }
}

type Discord = ReturnType<typeof countedDiscord>
type After = { posted: Posted; card: DeployCard }

async function send(discord: Discord, card: DeployCard, options: Options): Promise<After> {
  const { eventId, hook, settings, context } = options
  const isThere = card.messageId !== null && isAt(card, hook)
  const hasNews = hasFailed(card.facts) && card.told === 'no'
  if (!isThere || card.messageId === null) return begin(discord, card, hasNews, options)
  let posted: Posted | undefined
  if (card.editedFor !== eventId) {
    const message = deployMessage(card.facts, { ...settings, mentionRole: inCard(card, settings) })
    posted = await discord.edit(card.messageId, message)
    if (posted.kind === 'messageGone' || posted.kind === 'refused') return begin(discord, card, hasNews, options)
    if (posted.kind !== 'delivered') return { posted, card }
    posted = { ...posted, note: `${posted.note}, card edited` }
  }
  if (!hasNews && posted) return { posted, card: { ...card, editedFor: null } }
  // An edit notifies nobody, so a failure is told by a message of its own.
  const edited = { ...card, editedFor: eventId }
  const wait = posted ? discordRateLimiterOf(context).tryAcquire(hook.id) : 0
  if (wait > 0)
    return { posted: { kind: 'wait', wait, note: 'card edited', duration: posted?.duration ?? 0 }, card: edited }
  const told = await discord.post(deployMessage(card.facts, settings))
  if (told.kind !== 'delivered') return { posted: told, card: edited }
  const note = `${told.note}, card edited and failure posted`
  return { posted: { ...told, note }, card: { ...card, told: 'message', editedFor: null } }
}

/** Takes out of a card what turned out to belong to another. */
async function part(discord: Discord, card: DeployCard | undefined, { hook, settings }: Options) {
  if (!card || card.messageId === null || !isAt(card, hook)) return undefined
  const message = deployMessage(card.facts, { ...settings, mentionRole: inCard(card, settings) })
  const parted = await discord.edit(card.messageId, message)
  return isSettled(parted) ? undefined : parted
}

/** Trying again wouldn't help. */
const isSettled = ({ kind }: Posted) => kind === 'delivered' || kind === 'messageGone' || kind === 'refused'

/** Posts the card as a new message, which also tells a failure that is news. */
async function begin(
  discord: Discord,
  card: DeployCard,
  hasNews: boolean,
  { hook, settings }: Options,
): Promise<After> {
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

/** Discord, as far as one attempt calls it. What it doesn't like is sent once more as plain text. */
function countedDiscord({ context, hook, isOurs }: Options) {
  let calls = 0
  const call = async (ask: () => Promise<Posted>): Promise<Posted> => {
    // The first one was acquired by the attempt.
    if (calls > 0 && !isOurs()) return { kind: 'again', note: '', duration: 0 }
    if (calls > 0) discordRateLimiterOf(context).called()
    calls += 1
    return ask()
  }
  const orPlain = async (ask: (isPlain: boolean) => Promise<Posted>): Promise<Posted> => {
    const first = await call(() => ask(false))
    if (first.kind !== 'refused') return first
    const plain = await call(() => ask(true))
    return plain.kind === 'delivered' ? { ...plain, note: `${plain.note} as plain text` } : plain
  }
  return {
    calls: () => calls,
    post: (message: Parameters<typeof post>[2]) =>
      orPlain((isPlain) => post(context, hook, isPlain ? plainTextOf(message) : message)),
    edit: (messageId: string, message: Parameters<typeof post>[2]) =>
      orPlain((isPlain) => edit(context, hook, messageId, isPlain ? plainTextOf(message) : message)),
    /** Deletes the messages of these cards; answers what keeps it from that, unless trying again wouldn't help. */
    async removeAll(cards: readonly DeployCard[]): Promise<Posted | undefined> {
      for (const card of cards) {
        const { messageId } = card
        if (messageId === null || !isAt(card, hook)) continue
        const removed = await call(() => remove(context, hook, messageId))
        if (!isSettled(removed)) return removed
      }
      return undefined
    },
  }
}

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
