import { isDeepStrictEqual } from 'node:util'
import type { AuditEntryChange, Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import type { By } from '../../platform/http/access/actor.ts'
import type { StoredEntry } from '../stored-entry.ts'
import type { AnyEntryToolServer } from '../tool-server.ts'

type Change = Parameters<AuditEntryChange>[1]['changes'][number]

type Named = Pick<StoredEntry, 'id' | 'name'>

/** Names the entry in the audit log: not by what it is about, which may be the URL of a secret. */
export const entryChange = (noun: string, { id, name }: Named): Change => {
  return { field: 'entry', from: null, to: name === null ? `${noun} ${id}` : `${noun} ${name} (${id})` }
}

/** Logs what is done to another user's entry as a whole; one's own entries are one's own business. */
export async function auditOther(
  { audit }: Pick<Context, 'audit'>,
  tx: Queries,
  { user, actor }: By,
  action: 'entry.create' | 'entry.delete',
  { tool, ownerId, ...entry }: Named & { tool: AnyEntryToolServer; ownerId: string },
): Promise<void> {
  if (ownerId === user.id) return
  const target = { id: ownerId, name: await emailOf(tx, ownerId) }
  await audit(tx, { actor, action, target, changes: [entryChange(tool.contract.noun, entry)] })
}

type Before = { tool: AnyEntryToolServer; entry: StoredEntry; present: Record<string, unknown> }
type After = Pick<StoredEntry, 'name' | 'notifyAfter' | 'status' | 'ownerId'> & { settings: Record<string, unknown> }

/** Logs an edit of another user's entry, and every new secret; of settings only the names, since a URL may hold a secret too. */
export async function auditEdit(
  { audit }: Pick<Context, 'audit'>,
  tx: Queries,
  { user, actor }: By,
  { tool, entry, present }: Before,
  { name, notifyAfter, status, ownerId, settings }: After,
): Promise<void> {
  const names = Object.keys(settings).filter((name) => !isDeepStrictEqual(settings[name], present[name]))
  const secret = Object.keys(tool.secrets?.mask(settings) ?? {})
  const isSecret = names.some((name) => secret.includes(name))
  const isOthers = entry.ownerId !== user.id || ownerId !== entry.ownerId
  if (!isOthers && !isSecret) return
  const changes: Change[] = [entryChange(tool.contract.noun, entry)]
  if (names.length > 0) changes.push({ field: 'settings', from: null, to: names })
  if (name !== entry.name) changes.push({ field: 'name', from: entry.name, to: name })
  if (notifyAfter !== entry.notifyAfter)
    changes.push({ field: 'notify after', from: String(entry.notifyAfter), to: String(notifyAfter) })
  if (status !== entry.status) changes.push({ field: 'active', from: entry.status, to: status })
  if (ownerId !== entry.ownerId) changes.push({ field: 'owner', from: entry.owner, to: await emailOf(tx, ownerId) })
  const action = isSecret ? 'secret.renew' : 'entry.edit'
  await audit(tx, { actor, action, target: { id: entry.ownerId, name: entry.owner }, changes })
}

async function emailOf(tx: Queries, id: string): Promise<string> {
  return (await tx.selectFrom('users').select('email').where('id', '=', id).executeTakeFirst())?.email ?? id
}
