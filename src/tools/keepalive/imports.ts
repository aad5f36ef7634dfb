import * as z from 'zod/mini'
import type { Imports } from '../../entries/tool-server.ts'
import { invalid } from '../../shared/http-error.ts'
import { parseUrl } from '../../shared/urls/parse-url.ts'

/** Imported URLs belong to this tool, unless the file names another. */
export const imports: Imports = {
  field: 'url',
  identity: (url) => parseUrl(url)?.href ?? url,
  isDefault: true,
  columns: ['interval', 'method', 'statuses', 'text', 'absent', 'keep', 'due'],
  fromRow({ interval, method, statuses, text, absent, ...rest }) {
    const expect = { ...(statuses && { statuses }), ...(text && { text }), ...(absent && { absent }) }
    return {
      ...rest,
      ...(interval && { interval: intervalOf(interval) }),
      ...(method && { method: method.toUpperCase() }),
      ...(Object.keys(expect).length > 0 && { expect }),
    }
  },
  fromMonitor,
}

/** Parses minutes; `auto` and any other text stay texts, which the contract checks. */
function intervalOf(text: string): number | string {
  const word = text.toLowerCase()
  return /^\d{1,6}$/.test(word) ? Number(word) : word
}

const Text = z.nullish(z.string())
const Flag = z.nullish(z.union([z.boolean(), z.literal(0), z.literal(1)]))

/** A monitor as exported by Uptime Kuma 1, with the fields relevant here. `interval` is seconds. */
const Monitor = z.object({
  name: Text,
  type: z.string(),
  url: Text,
  method: Text,
  interval: z.nullish(z.number()),
  active: Flag,
  maxretries: z.nullish(z.number()),
  headers: Text,
  body: Text,
  keyword: Text,
  invertKeyword: Flag,
  accepted_statuscodes: z.nullish(z.array(z.string())),
  upsideDown: Flag,
  ignoreTls: Flag,
  proxyId: z.nullish(z.union([z.number(), z.string()])),
  authMethod: Text,
  basic_auth_user: Text,
  basic_auth_pass: Text,
  maxredirects: z.nullish(z.number()),
})
type Monitor = z.infer<typeof Monitor>

/** The statuses that Uptime Kuma accepts by default. */
const defaultStatuses = '200-299'
const mostFailures = 20

/** Converts a monitor to an equivalent entry. Throws a 400 if there is none. */
function fromMonitor(input: unknown): Record<string, unknown> {
  const { data: monitor, error } = Monitor.safeParse(input)
  if (!monitor) {
    const [issue] = error.issues
    throw invalid(String(issue?.path[0] ?? 'monitor'), issue?.path[0] === 'type' ? 'This is no monitor.' : 'Not valid.')
  }
  refuse(monitor)
  const { name, url, method, interval, active, maxretries } = monitor
  return {
    name: name ? name.slice(0, 80) : null,
    url: url ?? '',
    status: Boolean(active ?? true),
    // Intervals are at least a minute: shorter ones don't keep an app awake any better.
    interval: Math.max(1, Math.ceil((interval ?? 60) / 60)),
    method: method || 'GET',
    headers: headersOf(monitor),
    expect: expectOf(monitor),
    notifyAfter: Math.min(mostFailures, Math.max(0, Math.trunc(maxretries ?? 0)) + 1),
  }
}

function refuse({ type, body, upsideDown, ignoreTls, proxyId, authMethod, maxredirects }: Monitor): void {
  if (type !== 'http' && type !== 'keyword')
    throw invalid('type', `Monitors of the type ${type.slice(0, 40)} can't be imported, only http and keyword.`)
  if (body) throw invalid('body', "Requests with a body can't be imported.")
  if (upsideDown) throw invalid('upsideDown', "Monitors that are upside down can't be imported.")
  if (ignoreTls) throw invalid('ignoreTls', "Certificates are always checked, so this monitor can't be imported.")
  if (proxyId) throw invalid('proxyId', "Monitors behind a proxy can't be imported.")
  if (maxredirects === 0) throw invalid('maxredirects', "Redirects are followed, so this monitor can't be imported.")
  if (authMethod && authMethod !== 'basic' && authMethod !== 'none')
    throw invalid('authMethod', `Authentication by ${authMethod.slice(0, 40)} can't be imported.`)
}

function headersOf({ headers, authMethod = 'basic', basic_auth_user: user, basic_auth_pass: pass }: Monitor) {
  const own = Object.entries(parseHeaders(headers)).map(([name, value]) => ({ name, value: String(value) }))
  // Old exports have no method. Newer ones keep basic credentials even after another method was chosen.
  if (authMethod !== 'basic' || (!user && !pass)) return own
  const basic = Buffer.from(`${user ?? ''}:${pass ?? ''}`).toString('base64')
  return [...own, { name: 'Authorization', value: `Basic ${basic}` }]
}

function parseHeaders(headers: string | null | undefined): object {
  if (!headers?.trim()) return {}
  try {
    return z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).parse(JSON.parse(headers))
  } catch {
    throw invalid('headers', 'The headers are not a JSON object.')
  }
}

function expectOf({ type, keyword, invertKeyword, accepted_statuscodes: accepted }: Monitor) {
  const statuses = (accepted?.length ? accepted : [defaultStatuses]).join(',')
  if (type !== 'keyword') return { statuses }
  if (!keyword) throw invalid('keyword', 'The keyword is missing.')
  return invertKeyword ? { statuses, absent: keyword } : { statuses, text: keyword }
}
