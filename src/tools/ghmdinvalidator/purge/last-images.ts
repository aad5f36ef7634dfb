import { parseJson } from '../../../platform/body.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { Instant } from '../../../shared/time.ts'
import { type Compared, ImageCopy, type LastImages, Outcome, State } from '../contract.ts'
import type { Copy } from '../copy.ts'
import type { PurgeResult } from './purge.ts'

/** Longer URLs are truncated, since they are stored only to be recognized. */
const maxUrlLength = 1_000

export type RunFindings = {
  at: Instant
  url: string
  movedTo: string | null
  images: readonly PurgeResult[]
  isCompared: boolean
}

export const imageColumns = {
  position: 'bigint',
  origin: 'text',
  outcome: 'text',
  note: 'text',
  digest: 'text',
  state: 'text',
  cause: 'text',
  github: 'text',
  source: 'text',
} as const

type RecordContext = { copies: ReadonlyMap<string, unknown>; config: Pick<Config, 'githubCamoUrl'> }

export function recordOf(
  { camo, origin, outcome, note, seen }: PurgeResult,
  position: number,
  { copies, config }: RecordContext,
) {
  const truncatedOrigin = truncate(origin, maxUrlLength)
  const digest = camo.slice(prefixOf(config).length).split('/', 1)[0]!
  // The proxied URL can be rebuilt from the digest only if the original URL is stored in full.
  const isWhole = camoOf(digest, truncatedOrigin, config) === camo
  const describe = (copy: Copy | undefined) => {
    if (!copy) return null
    const { type, length, headers } = copy
    const modifiedAt = Date.parse(headers['last-modified'] ?? '')
    const picture = copies.has(copy.hash) ? copy.hash : null
    return JSON.stringify({ type, length, picture, ...(Number.isInteger(modifiedAt) && { modifiedAt }) })
  }
  return {
    position,
    origin: truncatedOrigin,
    outcome,
    note: note ?? null,
    digest: isWhole ? digest : null,
    state: seen?.state ?? null,
    cause: seen?.cause ?? null,
    github: describe(seen?.github),
    source: describe(seen?.origin),
  }
}

const prefixOf = ({ githubCamoUrl }: RecordContext['config']) => `${new URL(githubCamoUrl).origin}/`
const camoOf = (digest: string, origin: string, config: RecordContext['config']) =>
  `${prefixOf(config)}${digest}/${Buffer.from(origin).toString('hex')}`

const imagesOf = ({ q }: Pick<Db, 'q'>, entryId: string) =>
  q
    .selectFrom('purge_image')
    .select(['origin', 'outcome', 'note', 'digest', 'state', 'cause', 'github', 'source'])
    .where('entry_id', '=', entryId)
    .orderBy('position')
    .execute()

/** The findings of an entry's last run that could read the page, in page order. */
export async function lastImages(db: Pick<Db, 'q'>, entryId: string): Promise<LastImages> {
  const page = await db.q
    .selectFrom('purge_page')
    .select(['at', 'moved_to as movedTo'])
    .where('entry_id', '=', entryId)
    .executeTakeFirst()
  const images = (await imagesOf(db, entryId)).map(({ origin, outcome, note, cause, github, source, ...row }) => {
    const state = stateIn(row.state)
    return {
      origin,
      outcome: Outcome.safeParse(outcome).data ?? 'failed',
      note,
      compared: state && { state, cause, github: copyIn(github), source: copyIn(source) },
    }
  })
  return { at: null, movedTo: null, ...page, images }
}

// A row may come from an import; an invalid value counts as no comparison.
const stateIn = (text: string | null) => State.safeParse(text).data
const copyIn = (text: string | null) => ImageCopy.safeParse(parseJson(text ?? 'null')).data ?? null

/** The same images with their states; an image that was not compared gets the state of its purge. */
export async function comparedImages(
  db: Pick<Db, 'q'>,
  id: string,
  config: RecordContext['config'],
): Promise<Compared[]> {
  const rows = await imagesOf(db, id)
  return rows.map(({ origin, digest, outcome, ...row }) => {
    const state = stateIn(row.state)
    const isFailed = outcome === 'failed'
    const cause = state === undefined && isFailed ? row.note : row.cause
    return {
      camo: digest === null ? null : camoOf(digest, origin, config),
      origin,
      state: state ?? (isFailed ? 'failed' : 'purged'),
      cause: cause ?? undefined,
    }
  })
}

/** Truncates a text to this many characters plus an ellipsis, without splitting a surrogate pair. */
export const truncate = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : text
