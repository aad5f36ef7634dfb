import { sql } from 'kysely'
import type { SettingsOf } from '../../entries/contract.ts'
import { searchColumn } from '../../entries/list/list.ts'
import { forgetIncident } from '../../entries/runs/incidents.ts'
import { turnJob } from '../../entries/store.ts'
import { type EntryToolServer, entryToolServer, type SettingsSecrets } from '../../entries/tool-server.ts'
import { ok, warning } from '../../platform/check-result.ts'
import type { Db, Queries } from '../../platform/db/open.ts'
import { needsLookUp } from '../../platform/net/reach.ts'
import { invalid } from '../../shared/http-error.ts'
import { quietUntil } from '../../shared/quiet-until.ts'
import { days, minutes } from '../../shared/time.ts'
import { extensionPage } from './acts/person.ts'
import { looksForText, ping } from './acts/request.ts'
import { actRoutes } from './acts/routes.ts'
import { endSearchIfInactive, pingForSearch, searchJob } from './acts/sleep.ts'
import { awakeStore, neverAsleep, offerActs } from './acts/state.ts'
import { dashboardOf, restorableUntil } from './acts/supabase.ts'
import { effectiveAct, effectiveInterval, minActInterval, requestedAct } from './acts/terms.ts'
import { performAct } from './acts/turn.ts'
import { certificateStore } from './certificates.ts'
import { type KeepaliveConfig, keepaliveVariables } from './config.ts'
import { type ActKind, isRefusedHeader, keepalive, masked, newerDefaults } from './contract.ts'
import { hostRoutes } from './hosts/routes.ts'
import { asOf, lookedUpAt } from './hosts/terms.ts'
import { imports } from './imports.ts'
import { migrations } from './migrations.ts'
import { keepaliveNames } from './terms.ts'

type Settings = SettingsOf<typeof keepalive>

const column = 'entry.settings'
/** The minimum length of a value whose last characters are shown. Values that end with a password never are. */
const shortestShown = 16
const endsWithPassword = /^basic\s/i

/** Header values and keys are secret: encrypted when stored, and masked when read. */
const secrets: SettingsSecrets<Settings> = {
  /** Replaces masks with the saved values. Clears these if the origin or owner changes, so that they don't leak. */
  complete(settings, current, { changes, isHandedOver }) {
    const mustClear = isHandedOver || (current !== undefined && originOf(current) !== originOf(settings))
    const completeOne = (field: keyof Secret, what: string, value: string, saved = '') => {
      const isGiven = field in changes
      if (isGiven && !isMask(value)) return value
      if (isGiven && (saved === '' || maskOf(saved) !== value)) throw invalid(field, `Enter ${what} in full.`)
      if (mustClear) return ''
      return isGiven ? saved : value
    }
    const { headers, supabase } = settings
    const savedValue = (name: string) =>
      current?.headers.find((header) => header.name.toLowerCase() === name.toLowerCase())?.value
    return {
      ...settings,
      headers: headers.map(({ name, value }) => ({
        name,
        value: completeOne('headers', `the value of ${name}`, value, savedValue(name)),
      })),
      supabase: supabase && {
        ...supabase,
        key: completeOne('supabase', 'the key', supabase.key, current?.supabase?.key),
      },
    }
  },
  seal: (settings, _stored, { secrets }) => ({
    ...settings,
    ...mapSecrets(settings, (secret) => secrets.seal(secret, column)),
  }),
  // The caller parses the result.
  open(stored, { secrets }) {
    const all: Settings = { ...newerDefaults, ...Object(stored) }
    // Older entries may have headers that are no longer allowed.
    const headers = all.headers.filter(({ name }) => !isRefusedHeader(name))
    return { ...all, ...mapSecrets({ ...all, headers }, secrets.open) }
  },
  mask: (settings) => mapSecrets(settings, maskOf),
}

type Secret = Pick<Settings, 'headers' | 'supabase'>

/** Changes each header value and the key; empty ones stay empty. */
function mapSecrets({ headers, supabase }: Secret, change: (secret: string) => string): Secret {
  const changed = (secret: string) => (secret === '' ? '' : change(secret))
  return {
    headers: headers.map(({ name, value }) => ({ name, value: changed(value) })),
    supabase: supabase && { ...supabase, key: changed(supabase.key) },
  }
}

function maskOf(value: string): string {
  if (isMask(value)) return value
  return value.length < shortestShown || endsWithPassword.test(value) ? masked : `${masked}${value.slice(-4)}`
}
const isMask = (value: string) => value.startsWith(masked)
const originOf = ({ url }: Pick<Settings, 'url'>) => new URL(url).origin

/** How long the facts about hosts count as current: six months. */
const factsValidFor = days(183)
/** The minimum interval for retries. With a shorter one, the next turn is as close as a retry. */
const minRetriedInterval = minutes(5)

const noRequests = 'This entry sends no requests, so there is nothing to run.'
const defaultInterval = (config: KeepaliveConfig) => config.keepaliveEvery

export const server: EntryToolServer<typeof keepalive> = entryToolServer<typeof keepalive, KeepaliveConfig>({
  contract: keepalive,
  variables: keepaliveVariables,
  migrations,
  // Never the query, which may contain a key.
  about: ({ url }) => url.replace(/^\w+:\/\/|[?#].*$/g, '').replace(/\/$/, ''),

  async validate(settings, { outbound, visitLimits }, before, user) {
    const { url, method, headers, expect } = settings
    const take = () => url !== before?.url && visitLimits.consumeUrl(user.id)
    // A DNS lookup counts as a visit; a refusal without one does not.
    const isLookedUp = needsLookUp(new URL(url))
    if (isLookedUp) take()
    const why = await outbound.refusalReason(url, user.id)
    if (why) throw invalid('url', why)
    if (!isLookedUp) take()
    if (method === 'HEAD' && looksForText(expect))
      throw invalid('expect', 'A response to HEAD has no text. Use GET to check for text.')
    const advice = requireActSettings(settings)
    if (advice !== undefined) return advice
    const unset = headers.flatMap(({ name, value }) => (value === '' ? [name] : []))
    if (unset.length > 0) return `Saved. Headers without a value aren't sent: ${unset.join(', ')}.`
    return undefined
  },

  secrets,
  imports,
  show: (_stored, { config }, settings) => ({
    every: effectiveInterval(settings, config.keepaliveEvery) / minutes(1),
    kept: effectiveAct(settings),
    place: ownerPages[effectiveAct(settings)]?.(settings.url) ?? null,
    // Masked even for the user who entered them.
    ...mapSecrets(settings, maskOf),
  }),

  async loadExtras(ids, { db, now }) {
    const at = now()
    const certificates = await certificateStore(db, db.q).load(ids, at)
    const acts = await awakeStore(db, db.q).load(ids)
    return new Map(
      ids.map((id) => {
        const { awake, memory = {}, foundAsleep = neverAsleep } = acts.get(id) ?? {}
        const until = awake === 'paused' ? restorableUntil(memory, at) : null
        return [id, { certificate: certificates.get(id) ?? null, foundAsleep, restorableUntil: until }]
      }),
    )
  },

  async afterSave(id, settings, before, tx, context) {
    if (!before) return
    await endSearchIfInactive(id, tx, context)
    if (originOf(settings) === originOf(before) && effectiveAct(settings) === effectiveAct(before)) return
    const { db, now } = context
    await certificateStore(db, tx).delete(id)
    await awakeStore(db, tx).delete(id)
    if (effectiveAct(settings) !== 'person') return
    // No run would ever end the failure.
    await tx.updateTable('entry').set({ fails: 0, failing_since: null }).where('id', '=', id).execute()
    await forgetIncident(db, tx, id, now())
  },

  routes(app, context) {
    hostRoutes(app, context)
    actRoutes(app, context, server)
  },
  listColumns: () => ({ url: searchColumn }),
  cleanUp: offerActs,
  selfCheck: (at) =>
    at - lookedUpAt > factsValidFor
      ? warning(
          `Hosts were last checked in ${asOf}. Their rules may have changed since.`,
          'Upgrade ToolBox, and check that those apps are awake.',
        )
      : ok(`Hosts that put apps to sleep: checked ${asOf}.`),

  // Quiet hours end at a wall-clock time, so turns that wait for it are planned again when the clock is changed.
  shift: async (entryIds, _by, tx, { db, jobs }) => jobs.resume(await quietTurns(db, entryIds, tx), tx),

  schedule: {
    defaultInterval,
    every: (settings, config) => effectiveInterval(settings, defaultInterval(config)),
    subject: ({ url }) => url,
    terms: ({ method, headers, expect, keep, supabase, due }) => ({ method, headers, expect, keep, supabase, due }),
    earliest: ({ quiet }, at) => (quiet === null ? at : (quietUntil(quiet, at) ?? at)),
    target: ({ url }) => new URL(url).host,
    noRunsReason: (settings) => (effectiveAct(settings) === 'person' ? noRequests : undefined),
    retries: (every) => every >= minRetriedInterval,
    perform(settings, context, runContext) {
      const act = effectiveAct(settings)
      if (act !== 'request') return performAct(act, settings, context, runContext)
      const isSearch = runContext.jobId === searchJob(runContext.entryId)
      return isSearch ? pingForSearch(settings, context, runContext) : ping(settings, context, runContext)
    },
  },
})

/** Throws a 400 if the act can't work with these settings; returns a warning if it lacks some and isn't in force. */
function requireActSettings(settings: Settings): string | undefined {
  const { keep, interval, due } = settings
  if (keep === 'person' && due === null) throw invalid('due', 'Enter the date by which the app has to be extended.')
  const act = effectiveAct(settings)
  if (act !== 'request' && act !== 'person' && typeof interval === 'number' && minutes(interval) < minActInterval)
    throw invalid('interval', 'Use at least 30 minutes, or null for the interval that keeps this app awake.')
  const wanted = requestedAct(settings)
  if (wanted === act) return undefined
  return wanted === 'supabase'
    ? 'Saved. Without a publishable key and a table, this stays a plain request, which does not keep a project awake.'
    : 'Saved. Without a date, this stays a plain request, which does not keep the app awake.'
}

/** The page where the owner extends or restores an app, by what keeps it awake. */
const ownerPages: { readonly [By in ActKind]?: (url: string) => string } = {
  person: extensionPage,
  supabase: dashboardOf,
}

/** The ids of the jobs of entries with quiet hours. */
async function quietTurns({ isOneOf }: Db, entryIds: readonly string[], tx: Queries): Promise<string[]> {
  const rows = await tx
    .selectFrom('entry')
    .select('id')
    .where('tool', '=', keepaliveNames.id)
    .where('settings', 'like', '%"quiet":{%')
    .where(sql<boolean>`${isOneOf('id', entryIds)}`)
    .execute()
  return rows.map(({ id }) => turnJob(id))
}
