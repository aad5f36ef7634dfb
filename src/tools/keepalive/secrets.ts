import type { SettingsOf } from '../../entries/contract.ts'
import type { SettingsSecrets } from '../../entries/tool-server.ts'
import { invalid } from '../../shared/http-error.ts'
import { type Headers, isRefusedHeader, type keepalive, masked } from './contract.ts'

type Settings = SettingsOf<typeof keepalive>

/** What entries have that are older than these settings. */
const before = { quiet: null, method: 'GET', headers: [], expect: null }
const column = 'entry.settings'
/** A shorter value shows nothing of itself, nor does one that ends with a password. */
const shortestShown = 16
const endsWithPassword = /^basic\s/i

/** The values of headers are secret: sealed where they are stored, masked wherever they are read. */
export const secrets: SettingsSecrets<Settings> = {
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
export const headersToSend = (headers: Headers): Record<string, string> =>
  Object.fromEntries(headers.flatMap(({ name, value }) => (value === '' ? [] : [[name, value]])))

export const maskHeaders = (headers: Headers): Headers => withValues(headers, maskOf)

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
