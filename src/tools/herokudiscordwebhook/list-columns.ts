import { sql } from 'kysely'
import { addressOf } from '../../entries/address.ts'
import { searchColumn } from '../../entries/list/columns.ts'
import type { Context } from '../../platform/context.ts'
import type { ListColumn } from '../../platform/db/list/columns.ts'
import { invalid } from '../../shared/http-error.ts'
import { webhookBase, webhookOf } from '../../shared/urls/discord-webhook.ts'

/** Endpoints are stored sealed and found by their hash, so only a whole one finds its entry. */
const endpointColumn = (baseUrl: string): ListColumn => ({
  finds: 'The whole endpoint.',
  filter(_db, text, { named }) {
    const base = `${baseUrl}/hooks/heroku/`
    const token = text.startsWith(base) ? text.slice(base.length) : ''
    if (token === '') throw invalid(named, `Enter the whole endpoint, which begins with ${base}`)
    return sql`entry.address = ${addressOf(token)}`
  },
  // Tokens are random, so one order says as little as another.
  sort: () => sql.ref('entry.address'),
})

/** Webhooks are stored by their id, with the token sealed. */
const webhookColumn: ListColumn = {
  finds: 'A webhook in full or as shown, or a part of its ID.',
  filter(db, text, asked) {
    const wanted = webhookOf(text)?.id ?? text.replace(webhookBase, '').replace(/…(?:\/.*)?$/, '')
    if (/^\d+$/.test(wanted)) return searchColumn.filter(db, wanted, asked)
    return webhookBase.includes(wanted.toLowerCase()) ? sql`1 = 1` : sql`1 = 0`
  },
  sort: searchColumn.sort,
}

/** Both are searched by what lists show of them, as far as that is known without opening what is sealed. */
export const listColumns = ({ config }: Pick<Context, 'config'>) => ({
  herokuEndpoint: endpointColumn(config.baseUrl),
  discordHook: webhookColumn,
})
