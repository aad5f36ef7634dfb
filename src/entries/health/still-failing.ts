import type { Context } from '../../platform/context.ts'
import type { News } from '../../platform/news.ts'
import { toldUrl } from '../runs/record.ts'
import { openSettings } from '../settings.ts'
import type { AnyEntryToolServer } from '../tool-server.ts'

/** News of all active entries of an owner whose incident is open, oldest first. */
export async function stillFailing(
  context: Context,
  tools: ReadonlyMap<string, AnyEntryToolServer>,
  ownerId: string,
): Promise<News[]> {
  const rows = await context.db.q
    .selectFrom('incident')
    .innerJoin('entry', 'entry.id', 'incident.entry_id')
    .select(['entry.id', 'entry.tool', 'entry.name', 'entry.about', 'entry.settings', 'entry.blocked_at'])
    .select(['incident.since', 'incident.cause'])
    .where('entry.owner_id', '=', ownerId)
    .where('entry.status', '=', 1)
    .where('incident.closed_at', 'is', null)
    .orderBy('incident.since')
    .orderBy('incident.id')
    .execute()
  return rows.map(({ settings, blocked_at, since, cause, ...row }) => {
    const tool = tools.get(row.tool)
    const called = tool && calledBy(tool, settings, context)
    const entry = { ...row, url: toldUrl(context.config, { ...row, called }) }
    return { type: blocked_at === null ? 'failing' : 'blocked', ownerId, entry, since, cause }
  })
}

/** What an entry calls; undefined if that is a secret, or can't be read: one such entry keeps no other from being told. */
function calledBy(tool: AnyEntryToolServer, settings: string, context: Context): string | undefined {
  try {
    return tool.schedule?.subject(openSettings(tool, JSON.parse(settings), context))
  } catch {
    return undefined
  }
}
