import { HttpError } from '../../shared/http-error.ts'
import type { ChannelType } from './types/channel-type.ts'

type Settings = Record<string, unknown>

/** In every mask, and in no secret. */
const masked = '••••'
const again = 'Enter this again, since the URL leads to another host.'

/** Settings with their secrets masked. */
export function maskSettings(type: ChannelType, settings: Settings): Settings {
  const shown = Object.entries(settings).map(([name, value]) => [
    name,
    type.secrets.includes(name) && typeof value === 'string' ? type.mask(value) : value,
  ])
  return Object.fromEntries(shown)
}

/**
 * The settings to store for those in a body: what is left out or masked as it was read stays, null or an empty text
 * removes it, and no secret follows to another host. Throws a 400 with the fields.
 */
export function completeSettings(type: ChannelType, given: Settings, present?: Settings): Settings {
  const moves = present !== undefined && given.url !== undefined && leadsElsewhere(given.url, present.url)
  const merged: Settings = { ...present, ...given }
  for (const name of type.secrets) {
    const value = given[name]
    if (value === undefined && moves) delete merged[name]
    if (typeof value !== 'string' || !value.includes(masked)) continue
    const stored = present?.[name]
    if (moves) throw invalidSettings({ [name]: again })
    if (typeof stored !== 'string' || value !== type.mask(stored))
      throw invalidSettings({ [name]: 'Enter this in full.' })
    merged[name] = stored
  }
  const filled = Object.entries(merged).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const { data, error } = type.Settings.strict().safeParse(Object.fromEntries(filled))
  if (!data) throw invalidSettings(whysOf(error.issues))
  const complete = type.complete(data)
  // A generated value is shown only to the channel's creator.
  const [missing] = present ? Object.keys(complete).filter((name) => data[name] === undefined) : []
  if (missing) throw invalidSettings({ [missing]: moves ? again : 'Enter a new one.' })
  return complete
}

/** Whether another server would get the secrets. */
const leadsElsewhere = (url: unknown, present: unknown) =>
  !String(url).includes(masked) && URL.parse(String(url))?.origin !== URL.parse(String(present))?.origin

type Issue = { code?: string | undefined; path: PropertyKey[]; message: string; keys?: string[] }

const whysOf = (issues: readonly Issue[]): Record<string, string> =>
  Object.fromEntries(
    issues
      .flatMap(({ path, message, keys }) =>
        keys ? keys.map((key) => [key, 'Unknown field.']) : [[String(path[0] ?? ''), message]],
      )
      .reverse(),
  )

/** A 400 about these settings: the body's fields are called `settings.url` and so on. */
export function invalidSettings(whys: Readonly<Record<string, string>>): HttpError {
  const fields = Object.fromEntries(Object.entries(whys).map(([name, why]) => [`settings.${name}`, why]))
  const [first] = Object.values(whys)
  const isOne = Object.keys(fields).length === 1
  return new HttpError(400, isOne && first ? first : 'Some fields are not valid.', { fields })
}
