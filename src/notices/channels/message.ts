import * as z from 'zod/mini'
import { formatCount } from '../../shared/count.ts'
import { cleanText } from '../../shared/schemas/names.ts'
import type { Instant } from '../../shared/time.ts'
import { titleOf } from '../../shared/title.ts'

type Kind = {
  verbs?: readonly [one: string, many: string]
  tone?: 'bad' | 'good'
  /** The health of the entries in the list that a message about several links to. */
  listed?: 'failing' | 'blocked'
  /** The type in webhooks, if it isn't the kind itself. */
  webhookType?: string
}
const failing: Kind = { tone: 'bad', listed: 'failing', webhookType: 'entry.failing' }
const blocked: Kind = { tone: 'bad', listed: 'blocked', webhookType: 'relay.blocked' }
const kinds = {
  failing: { ...failing, verbs: ['is failing', 'are failing'] },
  reminder: { ...failing, verbs: ['is still failing', 'are still failing'] },
  blocked: { ...blocked, verbs: ['is blocked', 'are blocked'] },
  stillBlocked: { ...blocked, verbs: ['is still blocked', 'are still blocked'] },
  recovered: { verbs: ['has recovered', 'have recovered'], tone: 'good', webhookType: 'entry.recovered' },
  certificate: { verbs: ['has a certificate that ends soon', 'have certificates that end soon'] },
  due: { verbs: ['has to be extended', 'have to be extended'] },
  offer: { verbs: ['needs more than requests to stay awake', 'need more than requests to stay awake'] },
  account: {},
  operator: {},
  test: {},
} satisfies Record<string, Kind>
export type MessageKind = keyof typeof kinds
const byType: Readonly<Record<string, Kind | undefined>> = kinds

/** Verb phrases for one entry and for many; undefined if notices of this type aren't about entries. */
export const verbsOf = (type: string): Kind['verbs'] => byType[type]?.verbs

export const StoredChange = z.object({
  entry: z.optional(
    z.object({ id: z.string(), tool: z.string(), name: z.nullable(z.string()), about: z.string(), url: z.string() }),
  ),
  since: z.optional(z.int()),
  cause: z.optional(z.string()),
  message: z.optional(z.string()),
  /** Set if a user waits for an admin's decision. */
  access: z.optional(z.literal(true)),
})
export type StoredChange = z.infer<typeof StoredChange>
type ToldEntry = StoredChange & { entry: NonNullable<StoredChange['entry']> }

export const mostNamed = 10

export type Message = {
  /** The same at each attempt, so that a receiver can detect duplicates. */
  id: string
  kind: MessageKind
  at: Instant
  title: string
  lines: readonly string[]
  link: string | undefined
  /** `changes` has the first changes, `count` counts all. */
  changes: readonly StoredChange[]
  count: number
}
type Facts = Pick<Message, 'id' | 'kind' | 'at' | 'changes' | 'count'>

export const toneOf = ({ kind }: Pick<Message, 'kind'>): 'bad' | 'good' | 'plain' => byType[kind]?.tone ?? 'plain'

/** Composes a message. Its only link is `link`, since some of its text is untrusted. Times are shown in `zone`. */
export function messageOf(facts: Facts, { baseUrl, zone }: { baseUrl: string; zone: string }): Message {
  const { title, lines } = composeText(facts, zone)
  return { ...facts, title: toSafeText(title), lines: lines.map(toSafeText), link: linkOf(facts, baseUrl) }
}

function composeText({ kind, changes, count }: Facts, zone: string): Pick<Message, 'title' | 'lines'> {
  const verb = verbsOf(kind)
  const [first] = changes
  if (kind === 'test') return { title: 'Test from ToolBox', lines: ['This channel works.'] }
  if (!verb) {
    const own = isAboutAccess(changes) ? 'Access to ToolBox' : 'Your ToolBox account'
    const title = kind === 'operator' ? 'Your ToolBox server' : own
    return { title, lines: [...changes.map(({ message = '' }) => message), ...rest(count)] }
  }
  if (count === 1 && first?.entry)
    return { title: `${nameOf(first.entry)} ${verb[0]}`, lines: [...causes(first, kind, zone)] }
  const title = `${formatCount(count)} entries ${verb[1]}`
  return {
    title,
    lines: [...changes.flatMap((one) => (one.entry ? lineOf(one.entry, one, kind, zone) : [])), ...rest(count)],
  }
}

const nameOf = ({ name, about }: ToldEntry['entry']) => titleOf({ name, about })
const rest = (count: number) => (count > mostNamed ? [`and ${formatCount(count - mostNamed)} more`] : [])

function causes({ since, cause }: StoredChange, kind: MessageKind, zone: string): string[] {
  if (kind === 'certificate') return [`It ends ${cause}.`]
  if (kind === 'due') return [`Extend it ${cause}`, 'Then press Done on its page in ToolBox.']
  if (kind === 'offer') return [`${cause}.`]
  const began =
    since === undefined ? [] : [`${kind === 'recovered' ? 'Had failed since' : 'Since'} ${formatTime(zone, since)}`]
  return cause ? [...began, `Cause: ${cause}`] : began
}

function lineOf(entry: ToldEntry['entry'], { since, cause }: StoredChange, kind: MessageKind, zone: string): string {
  const began =
    since === undefined ? '' : `${kind === 'recovered' ? 'had failed since' : 'since'} ${formatTime(zone, since)}`
  return `• ${nameOf(entry)}: ${[began, cause].filter(Boolean).join(', ')}`
}

const formatTime = (timeZone: string, at: Instant): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(at)

const isAboutAccess = (changes: readonly StoredChange[]) => changes.every(({ access }) => access)

function linkOf({ kind, changes, count }: Facts, baseUrl: string): string {
  if (kind === 'account' && isAboutAccess(changes)) return `${baseUrl}/admin/users`
  if (kind === 'account' || kind === 'test') return `${baseUrl}/user`
  const tools = new Set(changes.flatMap(({ entry }) => entry?.tool ?? []))
  const [tool] = tools
  const [first] = changes
  if (tool === undefined || tools.size > 1) return `${baseUrl}/`
  // An offer for several entries is accepted on the page of one.
  if (count === 1 || kind === 'offer')
    return `${baseUrl}/tools/${tool}/modify?id=${encodeURIComponent(first?.entry?.id ?? '')}`
  const health = byType[kind]?.listed
  return `${baseUrl}/tools/${tool}/viewlist${health ? `?health=${health}` : ''}`
}

export function payloadOf({ kind, at, changes, count }: Message) {
  const entries = changes.flatMap(({ entry, since, cause }) =>
    entry ? [{ id: entry.id, tool: entry.tool, name: entry.name, url: entry.url, since, cause }] : [],
  )
  const messages = changes.flatMap(({ message }) => message ?? [])
  return {
    type: byType[kind]?.webhookType ?? kind,
    timestamp: new Date(at).toISOString(),
    data: { entries, count, ...(messages.length > 0 && { messages }) },
  }
}

export const textOf = ({ title, lines, link }: Pick<Message, 'title' | 'lines' | 'link'>): string =>
  [title, ...lines, ...(link ? [link] : [])].join('\n')

const nothing = '\u200b'
/** Signs of links, mentions, tags and commands in apps: `https://`, `a.example`, `ada@`, `@all`, `#tag`, `/start`. */
const linkSigns = /:(?=[^\s\d])|[.。．｡](?=[\p{L}\p{N}])|@(?=\S)|(?<![\p{L}\p{N}/])[#/$](?=[\p{L}\p{N}])/gu

/** Inserts invisible characters so that no app turns any part of the text into a link. */
export const breakLinks = (text: string): string => text.replace(linkSigns, `$&${nothing}`)
const toSafeText = (text: string) => breakLinks(cleanText(text))
export const restoreLinks = (text: string): string => text.replaceAll(nothing, '')

/** In UTF-16 code units; never splits a character. */
export function truncate(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** In UTF-8 bytes; never splits a character. */
export function truncateBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text
  const bytes = Buffer.from(text).subarray(0, most - 3)
  return `${bytes.toString().replace(/\uFFFD+$/, '')}…`
}
