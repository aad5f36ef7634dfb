import { TextDecoder } from 'node:util'
import encodingOf from 'html-encoding-sniffer'
import { sql } from 'kysely'
import type { SettingsOf } from '../../entries/contract.ts'
import { searchColumn } from '../../entries/list/list.ts'
import { turnJob } from '../../entries/store.ts'
import { entryToolServer, type Outcome, type SettingsSecrets } from '../../entries/tool-server.ts'
import type { Db, Queries } from '../../platform/db/open.ts'
import { isUnreachable } from '../../platform/net/failure.ts'
import type { OutboundAnswer } from '../../platform/net/outbound.ts'
import { needsLookUp } from '../../platform/net/reach.ts'
import { invalid } from '../../shared/http-error.ts'
import { quietUntil } from '../../shared/quiet-until.ts'
import { minutes, seconds } from '../../shared/time.ts'
import { certificateStore, recordCertificate } from './certificates.ts'
import { type KeepaliveConfig, keepaliveVariables } from './config.ts'
import { type Expect, type Headers, isRefusedHeader, keepalive, masked } from './contract.ts'
import { hostRoutes } from './hosts/routes.ts'
import { everyOf, hostOf } from './hosts/terms.ts'
import { imports } from './imports.ts'
import { migrations } from './migrations.ts'
import { keepaliveNames } from './terms.ts'

type Settings = SettingsOf<typeof keepalive>

/** What entries have that are older than these settings. */
const before = { quiet: null, method: 'GET', headers: [], expect: null }
const column = 'entry.settings'
/** A shorter value shows nothing of itself, nor does one that ends with a password. */
const shortestShown = 16
const endsWithPassword = /^basic\s/i

/** The values of headers are secret: sealed where they are stored, masked wherever they are read. */
const secrets: SettingsSecrets<Settings> = {
  complete: (settings, present, { changes, isHandedOver }) => {
    const leaves = isHandedOver || (present !== undefined && originOf(present) !== originOf(settings))
    return {
      ...settings,
      headers: completed(settings.headers, present?.headers, { leaves, isGiven: 'headers' in changes }),
    }
  },
  seal: (settings, _stored, { secrets }) => ({
    ...settings,
    headers: withValues(settings.headers, (value) => secrets.seal(value, column)),
  }),
  // Parsed by the caller.
  open(stored, { secrets }) {
    const all: Settings = { ...before, ...Object(stored) }
    // Such a header was allowed once.
    const headers = all.headers.filter(({ name }) => !isRefusedHeader(name))
    return { ...all, headers: withValues(headers, secrets.open) }
  },
  mask: ({ headers }) => ({ headers: maskHeaders(headers) }),
}

/** The headers that have a value, by their names. */
const headersToSend = (headers: Headers): Record<string, string> =>
  Object.fromEntries(headers.flatMap(({ name, value }) => (value === '' ? [] : [[name, value]])))

const maskHeaders = (headers: Headers): Headers => withValues(headers, maskOf)

function maskOf(value: string): string {
  if (isMask(value)) return value
  return value.length < shortestShown || endsWithPassword.test(value) ? masked : `${masked}${value.slice(-4)}`
}
const isMask = (value: string) => value.startsWith(masked)
const originOf = ({ url }: Pick<Settings, 'url'>) => new URL(url).origin

/** A header without a value keeps none. */
const withValues = (headers: Headers, change: (value: string) => string): Headers =>
  headers.map(({ name, value }) => ({ name, value: value === '' ? '' : change(value) }))

/** Masks stand for the saved values. Those go to no other origin or owner, who would learn them. */
function completed(
  headers: Headers,
  present: Headers = [],
  { leaves, isGiven }: { leaves: boolean; isGiven: boolean },
): Headers {
  if (!isGiven) return leaves ? withValues(headers, () => '') : headers
  return headers.map(({ name, value }) => {
    if (!isMask(value)) return { name, value }
    const saved = present.find((header) => header.name.toLowerCase() === name.toLowerCase())?.value ?? ''
    if (saved === '' || maskOf(saved) !== value) throw invalid('headers', `Enter the value of ${name} in full.`)
    return { name, value: leaves ? '' : saved }
  })
}

const redirects = 5
/** With a shorter interval the next turn is as near as a second attempt. */
const shortestRetried = minutes(5)

const defaultInterval = (config: KeepaliveConfig) => config.keepaliveEvery

export const server = entryToolServer<typeof keepalive, KeepaliveConfig>({
  contract: keepalive,
  variables: keepaliveVariables,
  migrations,
  // Never the query, which may hold a key.
  about: ({ url }) => url.replace(/^\w+:\/\/|[?#].*$/g, '').replace(/\/$/, ''),

  async validate({ url, method, headers, expect }, { outbound, visitLimits }, before, user) {
    const take = () => url !== before?.url && visitLimits.takeUrl(user.id)
    // Asking a name server counts as a visit; refusing without that does not.
    const isLookedUp = needsLookUp(new URL(url))
    if (isLookedUp) take()
    const why = await outbound.refuse(url, user.id)
    if (why) throw invalid('url', why)
    if (!isLookedUp) take()
    if (method === 'HEAD' && looksForText(expect))
      throw invalid('expect', 'The answer to HEAD has no text. Use GET to look for one.')
    const unset = headers.flatMap(({ name, value }) => (value === '' ? [name] : []))
    if (unset.length > 0) return `Saved. Without a value, this is not sent: ${unset.join(', ')}.`
    return undefined
  },

  secrets,
  imports,
  show: (_stored, { config }, settings) => ({
    every: everyOf(settings, config.keepaliveEvery) / minutes(1),
    // Masked for their author, too.
    headers: maskHeaders(settings.headers),
  }),

  async loadExtras(ids, { db, now }) {
    const certificates = await certificateStore(db, db.q).load(ids, now())
    return new Map(ids.map((id) => [id, { certificate: certificates.get(id) ?? null }]))
  },

  async afterSave(id, { url }, before, tx, { db }) {
    if (before && new URL(url).origin !== new URL(before.url).origin) await certificateStore(db, tx).forget(id)
  },

  routes: hostRoutes,
  listColumns: () => ({ url: searchColumn }),

  // A turn that waits for the end of quiet hours waits for a time of the clock, however it is set.
  shift: async (entryIds, _by, tx, { db, jobs }) => jobs.resume(await quietTurns(db, entryIds, tx), tx),

  schedule: {
    defaultInterval,
    every: (settings, config) => everyOf(settings, defaultInterval(config)),
    subject: ({ url }) => url,
    terms: ({ method, headers, expect }) => ({ method, headers, expect }),
    earliest: ({ quiet }, at) => (quiet === null ? at : (quietUntil(quiet, at) ?? at)),
    target: ({ url }) => new URL(url).host,
    retries: (every) => every >= shortestRetried,
    async perform({ url, method, headers, expect }, context, { entryId, editedAt, visitor }) {
      const { outbound, config } = context
      const answer = await outbound.request(url, {
        visitor,
        method,
        ownHeaders: headersToSend(headers),
        timeout: config.keepaliveTimeout,
        redirects,
        tellsCertificate: true,
        ...(looksForText(expect) && { maxBytes: searchedBytes, partialBody: true }),
      })
      const certificate = recordCertificate(context, {
        entryId,
        editedAt,
        url,
        validTo: answer.answered ? answer.certifiedUntil : undefined,
      })
      return { ...outcomeOf(answer, { url, expect }), ...certificate }
    },
  },
})

/** The jobs of those of these entries that have quiet hours. */
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

/** The statuses of a host that is waking up. */
const wakingUp = [502, 503, 504]

type Asked = Pick<SettingsOf<typeof keepalive>, 'url' | 'expect'>

/** What an answer means for a run; the note of a failure says why. */
export function outcomeOf(answer: OutboundAnswer, { url, expect }: Asked): Outcome {
  const duration = Math.round(answer.duration)
  if (answer.answered) {
    const { status, brokenOff } = answer
    if (brokenOff?.failure === 'internal') return { again: seconds(30), why: brokenOff.note }
    const broken = brokenOff && `the body broke off (${brokenOff.note})`
    const why = unwoken(new Set([url, answer.url]), status) ?? unexpected(answer, expect)
    const ended = { duration, count: status }
    if (why === undefined) return { success: true, ...ended, ...(broken && { note: broken }) }
    const isWaking = wakingUp.includes(status)
    const startsIn = isWaking && hostOf(url)?.startsIn
    return {
      success: false,
      ...ended,
      note: broken ? `${why}; ${broken}` : why,
      ...((isWaking || broken) && { transient: true }),
      ...(startsIn && { startsIn }),
    }
  }
  if (answer.wait !== undefined) return { again: answer.wait, crowded: true }
  if (answer.failure === 'internal') return { again: seconds(30), why: answer.note }
  return {
    success: false,
    duration,
    note: answer.note,
    transient: answer.failure === 'dns' || answer.failure === 'connect',
    unreachable: isUnreachable(answer.failure),
  }
}

/** Why an answer with this status is a failure although it may look fine: it leaves the app asleep. */
function unwoken(urls: ReadonlySet<string>, status: number): string | undefined {
  for (const url of urls) {
    const without = hostOf(url)?.wakesNotWith
    if (without === 'any' && status < 400) return `answered ${status} but does not wake the app`
    if (without !== 'any' && without?.includes(status)) return `answered ${status}`
  }
  return undefined
}

type Answer = { status: number; headers: Record<string, string>; body: Uint8Array }

/** How much of a body is searched. */
const searchedBytes = 65_536

/** Whether the body has to be read. */
const looksForText = (expect: Expect | null): boolean => expect?.text !== undefined || expect?.absent !== undefined

/** Why an answer is not what was expected, in words; undefined if it is. */
function unexpected({ status, headers, body }: Answer, expect: Expect | null): string | undefined {
  const { statuses, text, absent } = expect ?? {}
  if (statuses === undefined && status >= 400) return `answered ${status}`
  if (statuses !== undefined && !includes(statuses, status))
    return status < 400 ? `answered ${status}, which is not expected` : `answered ${status}`
  if (text === undefined && absent === undefined) return undefined
  const said = composed(decode(body, headers['content-type']))
  if (text !== undefined && !said.includes(text.normalize())) return `answered ${status} but the text is missing`
  if (absent !== undefined && said.includes(absent.normalize())) return `answered ${status} but has the unwanted text`
  return undefined
}

/** More marks on one letter than any writing has: to put them in order takes time by the square of their number. */
const manyMarks = /\p{M}{31}/u
const composed = (text: string) => (manyMarks.test(text) ? text : text.normalize())

/** Whether a list such as `200-399,401` has this status. */
const includes = (statuses: string, status: number): boolean =>
  statuses.split(',').some((part) => {
    const [from, to = from] = part.split('-').map(Number)
    return from !== undefined && to !== undefined && from <= status && status <= to
  })

/** A body as browsers read it: by its byte order mark, else by the header, else by what the page says of itself, else as UTF-8. */
function decode(body: Uint8Array, contentType = ''): string {
  const encoding = encodingOf(body, {
    // Text that is no page says nothing of itself, unless it is XML.
    xml: !/^\s*(?:text\/html\s*)?(?:;|$)/i.test(contentType),
    transportLayerEncodingLabel: /charset\s*=\s*["']?\s*([\w:-]+)/i.exec(contentType)?.[1],
    defaultEncoding: 'UTF-8',
  })
  // Node decodes all encodings but this one, which stands for those that are unsafe.
  return new TextDecoder(encoding === 'replacement' ? 'utf-8' : encoding).decode(body)
}
