import { isDeepStrictEqual } from 'node:util'
import type { SettingsOf } from '../../../entries/contract.ts'
import { entryChanged } from '../../../entries/stored-entry.ts'
import type { Outcome, RunOf } from '../../../entries/tool-server.ts'
import type { Context } from '../../../platform/context.ts'
import type { Queries } from '../../../platform/db/open.ts'
import { withoutQuery } from '../../../shared/urls/web-url.ts'
import { certificateStore } from '../certificates.ts'
import type { KeepaliveConfig } from '../config.ts'
import type { ActKind, keepalive } from '../contract.ts'
import { keepaliveNames } from '../terms.ts'
import { type Act, type ActState, longestRead, type Turn } from './act.ts'
import { keepByPerson } from './person.ts'
import { awakeStore } from './state.ts'
import { keepStreamlit } from './streamlit.ts'
import { keepSupabase } from './supabase.ts'

const acts: Readonly<Record<Exclude<ActKind, 'request'>, Act>> = {
  streamlit: keepStreamlit,
  supabase: keepSupabase,
  person: keepByPerson,
}

type Settings = SettingsOf<typeof keepalive>

/** Performs a turn of an act, or a step of one, and stores the state for the next turn with the outcome. */
export async function performAct(
  act: keyof typeof acts,
  settings: Settings,
  context: Context<KeepaliveConfig>,
  { entryId, visitor }: RunOf,
): Promise<Outcome> {
  const { db, now } = context
  const before = (await awakeStore(db, db.q).load([entryId])).get(entryId)
  const state: ActState = { awake: before?.awake ?? null, memory: before?.memory ?? {} }
  const { outcome, foundAsleep, notice, ...after } = await acts[act](turnOf(settings, state, context, visitor))
  if (!foundAsleep && isDeepStrictEqual(after, state)) return outcome
  const also = async (tx: Queries) => {
    await awakeStore(db, tx).save(entryId, after, foundAsleep && now())
    const named = notice === undefined ? undefined : await certificateStore(db, tx).findForNotice(entryId)
    const entry = named && { ...named.entry, url: withoutQuery(settings.url) }
    return [
      ...(after.awake === state.awake ? [] : [entryChanged(keepaliveNames.id, entryId, visitor.ownerId)]),
      ...(entry ? await context.notify(tx, [{ type: 'due', ownerId: named.ownerId, entry, cause: notice ?? '' }]) : []),
    ]
  }
  return { ...outcome, also }
}

function turnOf(
  settings: Settings,
  state: ActState,
  { outbound, config, now }: Context<KeepaliveConfig>,
  visitor: RunOf['visitor'],
): Turn {
  const baseOptions = { visitor, timeout: config.keepaliveTimeout }
  const at = (path: string) => new URL(path, settings.url).href
  return {
    settings,
    state,
    now: now(),
    ask: (path, options) =>
      outbound.request(at(path), { ...baseOptions, maxBytes: longestRead, partialBody: true, ...options }),
    hold: (path, options) => outbound.hold(at(path), { ...baseOptions, ...options }),
  }
}
