import { type Selectable, sql } from 'kysely'
import * as z from 'zod/mini'
import { createToken, maskAddress } from '../../entries/address.ts'
import { searchColumn } from '../../entries/list/list.ts'
import { forgetIncident } from '../../entries/runs/incidents.ts'
import { type EntryToolServer, entryToolServer } from '../../entries/tool-server.ts'
import type { Context } from '../../platform/context.ts'
import { hashOf } from '../../platform/crypto/secrets.ts'
import type { ListColumn } from '../../platform/db/list/columns.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { invalid } from '../../shared/http-error.ts'
import type { Instant } from '../../shared/time.ts'
import { maskOf, webhookBase, webhookOf } from '../../shared/urls/discord-webhook.ts'
import { type HerokudiscordwebhookConfig, herokudiscordwebhookVariables } from './config.ts'
import { herokudiscordwebhook, type relayColumnTerms } from './contract.ts'
import { migrations } from './migrations.ts'
import { deliver } from './outbound/deliver.ts'
import { cardStore } from './outbound/deploy-cards.ts'
import { fetchWebhookType } from './outbound/discord.ts'
import { rescheduleDelivery } from './queue/delivery-job.ts'
import { relayStore } from './queue/store.ts'
import { routes } from './routes.ts'
import { hookOf, previousUntil, secretMask, secrets } from './secrets.ts'

const Stored = z.object({ token: z.string(), hook: z.object({ id: z.string() }) })

/** Both columns are searched by the text that lists show, as far as that is possible without decryption. */
const listColumns = ({ config }: Pick<Context, 'config'>): Record<keyof typeof relayColumnTerms, ListColumn> => ({
  herokuEndpoint: endpointColumn(config.baseUrl),
  discordHook: webhookColumn,
})

export const server: EntryToolServer<typeof herokudiscordwebhook> = entryToolServer<
  typeof herokudiscordwebhook,
  HerokudiscordwebhookConfig
>({
  contract: herokudiscordwebhook,
  variables: herokudiscordwebhookVariables,
  migrations,
  secrets,
  masks: { discordHook: (url) => maskOf(hookOf(url)), secret: () => secretMask, herokuEndpoint: maskAddress },
  createToken,
  deliver,
  listColumns,
  imports: {
    field: 'discordHook',
    identity: maskIn,
    columns: ['secret', 'mentionRole', 'threadId'],
    fromRow: (cells) => cells,
  },

  async validate({ discordHook, secret }, context, before, user) {
    if (secret && secret !== before?.secret && /^-[a-z]/i.test(secret))
      throw invalid('secret', "The secret can't begin with a hyphen and a letter: Heroku's command would refuse it.")
    if (discordHook === before?.discordHook) return undefined
    context.visitLimits.consumeUrl(user.id)
    return check(discordHook, context)
  },

  show(stored, { config, secrets }) {
    const { token, hook } = Stored.parse(stored)
    const herokuEndpoint = `${config.baseUrl}/hooks/heroku/${secrets.open(token)}`
    return { herokuEndpoint, webhookId: hook.id, previousSecretUntil: previousUntil(stored) }
  },

  async loadExtras(ids, { db }) {
    const relays = await relayStore(db).relays(ids)
    return new Map([...relays].map(([id, row]) => [id, stateOf(row)]))
  },

  async afterSave(id, { discordHook, threadId }, before, tx, { db, now }) {
    const store = relayStore(db, tx)
    await store.setWebhook(id, hookOf(discordHook).id)
    if (discordHook === before?.discordHook && threadId === before.threadId) return
    await store.unblock(id)
    if (!before) return
    await forgetIncident(db, tx, id, now())
    await store.makeDueNow(id)
    await rescheduleDelivery(db, tx, id, { at: now() })
  },

  routes: (app, context) => routes(app, context, server),
  shift: (entryIds, by, tx, { db, now }) => relayStore(db, tx).shiftWaits(entryIds, by, now()),
  beforeRemove: (entryIds, tx, { db }) => relayStore(db, tx).deleteEventsOf(entryIds),
  afterImport: (tx, db) => relayStore(db, tx).afterImport(),
  async cleanUp({ db, now }) {
    await relayStore(db).cleanUp(now())
    await cardStore(db.q).cleanUp(now())
  },
})

function maskIn(url: string): string {
  const hook = webhookOf(url)
  return hook ? maskOf(hook) : url
}

/** Throws a 400 if Discord reports that the webhook takes no messages; returns a warning if the check failed. */
async function check(discordHook: string, context: Context): Promise<string | undefined> {
  const result = await fetchWebhookType(context, hookOf(discordHook))
  if ('gone' in result)
    throw invalid('discordHook', "Discord doesn't know this webhook. Copy its URL again, or create a new one.")
  if ('unknown' in result)
    return `Saved, but we couldn't check this webhook with Discord (${result.unknown}). Send a test to make sure it works.`
  if (result.type === 2)
    throw invalid('discordHook', "This webhook follows another channel and can't receive messages. Create a new one.")
  if (result.type !== 1)
    throw invalid('discordHook', "This webhook belongs to an application. Create one in the channel's settings.")
  return undefined
}

type RelayRow = Selectable<Tables['relay']> & { held: number; retry_at: Instant | null; retry_why: string | null }

const stateOf = (row: RelayRow) => ({
  connectedAt: row.connected_at,
  refused:
    row.refused > 0 && row.refused_at !== null && row.refused_why !== null
      ? { count: row.refused, at: row.refused_at, why: row.refused_why }
      : null,
  blocked: row.blocked_at === null || row.blocked_why === null ? null : { at: row.blocked_at, why: row.blocked_why },
  held: row.held,
  waiting: row.open_events - row.held,
  retry: row.retry_at === null || row.retry_why === null ? null : { at: row.retry_at, why: row.retry_why },
})

/** Endpoints are encrypted and looked up by hash, so only a complete one finds its entry. */
const endpointColumn = (baseUrl: string): ListColumn => ({
  finds: 'The whole endpoint.',
  filter(_db, text, { named }) {
    const base = `${baseUrl}/hooks/heroku/`
    const token = text.startsWith(base) ? text.slice(base.length) : ''
    if (token === '') throw invalid(named, `Enter the whole endpoint, which begins with ${base}`)
    return sql`entry.address = ${hashOf(token)}`
  },
  // Tokens are random, so any order will do.
  sort: () => sql.ref('entry.address'),
})

/** Webhooks are searched by id, because their tokens are encrypted. */
const webhookColumn: ListColumn = {
  finds: 'A webhook in full or as shown, or a part of its ID.',
  filter(db, text, options) {
    const id = webhookOf(text)?.id ?? text.replace(webhookBase, '').replace(/…(?:\/.*)?$/, '')
    if (/^\d+$/.test(id)) return searchColumn.filter(db, id, options)
    return webhookBase.includes(id.toLowerCase()) ? sql`1 = 1` : sql`1 = 0`
  },
  sort: searchColumn.sort,
}
