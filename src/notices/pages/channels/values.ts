import { changesBetween } from '../../../ui/form/fields.ts'
import { nightsIn } from '../../../ui/form/quiet-hours.ts'
import type { Channel, ChannelEvent } from '../../channels/contract.ts'

export type Scope = 'all' | 'tools' | 'entries'

/** Each setting is separate, so that it can have its own error. */
export type Values = {
  type: string
  name: string
  events: ChannelEvent[]
  scope: Scope
  tools: string[]
  entries: string[]
  isQuiet: boolean
  zone: string
  days: number[]
  from: string
  to: string
  reminds: boolean
  remindEvery: string
  [setting: `settings.${string}`]: string
}

export type ChannelForm = Pick<
  Channel,
  'name' | 'type' | 'settings' | 'events' | 'tools' | 'entries' | 'quiet' | 'remindEvery'
>

/** Quiet hours are off, and set to nights in this time zone. */
export const blank = (type: string, zone: string): Values => ({
  type,
  name: '',
  events: ['failing', 'recovered', 'blocked'],
  scope: 'all',
  tools: [],
  entries: [],
  isQuiet: false,
  ...nightsIn(zone),
  reminds: false,
  remindEvery: '24',
})

/** An example channel that works immediately. Its random topic can't be guessed. */
export const example = (zone: string): Values => ({
  ...blank('ntfy', zone),
  name: 'My phone',
  'settings.url': `https://ntfy.sh/toolbox-${randomWord()}`,
})

const randomWord = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('')

export function valuesOf(channel: Channel, zone: string): Values {
  const { quiet, remindEvery, tools, entries } = channel
  const settings = Object.entries(channel.settings).map(([name, value]) => [`settings.${name}`, String(value)])
  return {
    ...blank(channel.type, zone),
    ...Object.fromEntries(settings),
    ...quiet,
    name: channel.name ?? '',
    events: channel.events,
    scope: scopeOf(channel),
    tools: tools ?? [],
    entries: entries ?? [],
    isQuiet: quiet !== null,
    reminds: remindEvery !== null,
    ...(remindEvery !== null && { remindEvery: String(remindEvery) }),
  }
}

function scopeOf({ tools, entries }: Pick<Channel, 'tools' | 'entries'>): Scope {
  if (entries) return 'entries'
  return tools ? 'tools' : 'all'
}

/** Errors by field, for mistakes that the API describes in technical terms. */
export function mistakesIn(values: Values): Record<string, string> {
  const { scope, tools, entries, isQuiet, days, from, to, reminds, remindEvery } = values
  const hours = Number(remindEvery)
  return {
    ...(scope === 'tools' && tools.length === 0 && { tools: 'Choose at least one tool.' }),
    ...(scope === 'entries' && entries.length === 0 && { entries: 'Choose at least one entry.' }),
    ...(isQuiet && days.length === 0 && { days: 'Choose at least one day.' }),
    ...(isQuiet && from === to && { to: 'Choose two different times.' }),
    ...(reminds &&
      !(Number.isInteger(hours) && hours >= 1 && hours <= 168) && { remindEvery: 'Enter 1 to 168 hours.' }),
  }
}

export function formOf(values: Values, kind: ChannelKind | undefined): ChannelForm {
  const { type, name, events, scope, zone, days, from, to } = values
  const settings = (kind ? fieldsOf(kind) : []).map((field) => [field.name, values[`settings.${field.name}`] ?? ''])
  return {
    type,
    name: name.trim() === '' ? null : name,
    // The API treats empty settings as omitted.
    settings: Object.fromEntries(settings),
    events,
    tools: scope === 'tools' ? values.tools : null,
    entries: scope === 'entries' ? values.entries : null,
    quiet: values.isQuiet ? { zone, days, from, to } : null,
    remindEvery: values.reminds ? Number(values.remindEvery) : null,
  }
}

/** The changed fields only: the user may have changed the others in another tab. */
export function changesOf(before: Values, now: Values, kind: ChannelKind | undefined): Partial<ChannelForm> {
  const form = formOf(now, kind)
  const { tools, entries } = form
  const changes = changesBetween(formOf(before, kind), form)
  // One choice for the user, so both are sent.
  return 'tools' in changes || 'entries' in changes ? { ...changes, tools, entries } : changes
}

type Field = { title?: string; description?: string; writeOnly?: boolean; format?: string }
/** `fields` is a JSON Schema of the type's settings. */
export type ChannelKind = {
  id: string
  label: string
  fields: { properties?: Record<string, Field>; required?: readonly string[] }
}

/** In the order of the schema. */
export const fieldsOf = ({ fields: { properties = {}, required = [] } }: ChannelKind) =>
  Object.entries(properties).map(([name, field]) => ({ name, isRequired: required.includes(name), ...field }))
