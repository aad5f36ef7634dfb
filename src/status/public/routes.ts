import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import * as z from 'zod/mini'
import { PublicState } from '../../entries/badges/public-state.ts'
import type { AnyEntryToolServer } from '../../entries/tool-server.ts'
import { anonymous } from '../../platform/http/access/guard.ts'
import { secureHeaders } from '../../platform/http/access/headers.ts'
import type { App } from '../../platform/http/app.ts'
import { contentOf } from '../../platform/http/description/content.ts'
import { acceptsEncoding } from '../../platform/http/page/compress-answer.ts'
import type { LiveEvents } from '../../platform/live/live-events.ts'
import { snapshots } from '../../platform/live/snapshots.ts'
import { type Instant, seconds } from '../../shared/time.ts'
import { slugPattern } from '../contract.ts'
import { htmlOf, missingHtml } from './html.ts'
import { loadPage, type PublicContext, PublicEntry, PublicIncident, type PublicPage } from './load.ts'
import { stylePolicy } from './style.ts'
import { escapeXml, formatClock, formatDay, formatDuration, verdictOf } from './text.ts'

const maxEntries = 50

type FeedEntry = { id: string; at: Instant; updatedAt: Instant; title: string; summary: string }

// No library: `feed` would add an XML writer and its parser, to save ten lines.
/** The incidents of a status page as an Atom feed (RFC 4287): one entry when each opens, another when it closes. */
function feedOf(page: PublicPage, root: string): string {
  const events = [...page.open, ...page.past]
    .flatMap(eventsOf)
    .toSorted((one, other) => other.at - one.at)
    .slice(0, maxEntries)
  const updated = Math.max(page.updatedAt, ...events.map(({ updatedAt }) => updatedAt))
  const url = escapeXml(root)
  const entries = events.map(({ id, at, updatedAt, title, summary }) =>
    [
      `<entry><id>${id}</id><title>${escapeXml(title)}</title><link rel="alternate" type="text/html" href="${url}"/>`,
      `<published>${iso(at)}</published><updated>${iso(updatedAt)}</updated><summary>${escapeXml(summary)}</summary></entry>`,
    ].join(''),
  )
  return [
    '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">',
    `<id>${urn(`page ${page.id}`)}</id><title>${escapeXml(page.title)}</title><updated>${iso(updated)}</updated>`,
    `<link rel="self" type="application/atom+xml" href="${url}/feed.xml"/><link rel="alternate" type="text/html" href="${url}"/>`,
    `<author><name>${escapeXml(page.title)}</name></author><generator>ToolBox</generator>`,
    ...entries,
    '</feed>\n',
  ].join('')
}

function eventsOf({ id, name, cause, openedAt, closedAt, note, notedAt }: PublicIncident): FeedEntry[] {
  const noteSuffix = note === null ? '' : ` ${note}`
  const since = `${formatDay(openedAt)}, ${formatClock(openedAt)} UTC`
  const opened = {
    id: urn(`opened ${id}`),
    at: openedAt,
    updatedAt: Math.max(openedAt, notedAt ?? 0),
    title: `${name}: down`,
    summary: `${cause}. Since ${since}.${noteSuffix}`,
  }
  if (closedAt === null) return [opened]
  const summary = `${cause}. It lasted ${formatDuration(openedAt, closedAt)}, since ${since}.${noteSuffix}`
  const updatedAt = Math.max(closedAt, notedAt ?? 0)
  return [opened, { id: urn(`closed ${id}`), at: closedAt, updatedAt, title: `${name}: resolved`, summary }]
}

const iso = (at: Instant): string => new Date(at).toISOString()

/** A stable id (a UUID of version 8) that doesn't reveal the text it is derived from. */
function urn(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) % 4]
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Times are epoch milliseconds. */
const PublicJson = z.object({
  title: z.string(),
  text: z.string(),
  url: z.string(),
  state: PublicState,
  page: z.int(),
  pages: z.int(),
  total: z.int(),
  /** The last day (UTC) of `days`. */
  today: z.string(),
  entries: z.array(PublicEntry),
  /** Open incidents, and the last closed ones. */
  incidents: z.array(PublicIncident),
})

const jsonOf = (page: PublicPage, root: string): string =>
  JSON.stringify(
    PublicJson.parse({
      ...page,
      url: root,
      state: verdictOf(page).state,
      total: page.count,
      incidents: [...page.open, ...page.past],
    }),
  )

const maxAge = seconds(10)
const maxCached = 200
const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

type Packed = { etag: string; identity: Buffer; br: Buffer; gzip: Buffer }
type PageFormat = { type: string; render: (page: PublicPage, root: string) => string }
type CachedPage = { ownerId: string; page: PublicPage; packed: Map<PageFormat, Promise<Packed>> }

const html: PageFormat = { type: 'text/html; charset=utf-8', render: htmlOf }
const feed: PageFormat = { type: 'application/atom+xml; charset=utf-8', render: feedOf }
const json: PageFormat = { type: 'application/json; charset=utf-8', render: jsonOf }

const Slug = z.object({ slug: z.string() })
const Query = z.object({ page: z.optional(z.string()) })
const description = 'Also a 404 while its owner may not use the tools. The response is cached for some seconds.'

/** Accepts any request: `readPageRequest` reads it, and a wrong one is answered like one for an unknown page. */
const optionsOf = <Schema extends FastifySchema>(schema: Schema) => ({
  ...anonymous(),
  schema: { tags: ['Status page'], description, params: Slug, ...schema },
  validatorCompiler: () => () => true,
})

export function publicStatusRoutes(
  app: App,
  context: PublicContext & { events: LiveEvents; elapsed: () => number },
  tools: ReadonlyMap<string, AnyEntryToolServer>,
): void {
  const { baseUrl } = context.config
  const secure = { ...secureHeaders(context.config), 'content-security-policy': stylePolicy }
  const forAll = { 'access-control-allow-origin': '*' }
  const share = snapshots<CachedPage>(context, { most: maxCached, keptFor: maxAge })

  const load = ({ slug, page }: { slug: string; page: number }) =>
    share(`${slug} ${page}`, async () => {
      const found = await loadPage(context, tools, { slug, page })
      return found && { ownerId: found.ownerId, page: found, packed: new Map() }
    })

  /** Makes no query for an invalid slug, or for a page number beyond the last page of a cached status page. */
  async function find({ slug, page }: { slug: string; page: number }): Promise<CachedPage | undefined> {
    if (page === 0 || !slugPattern.test(slug)) return undefined
    const first = await load({ slug, page: 1 })
    if (page === 1 || !first || page > first.page.pages) return page === 1 ? first : undefined
    return load({ slug, page })
  }

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    form: PageFormat,
    target: { slug: string; page: number },
  ) {
    const cached = await find(target)
    reply.headers(form === html ? secure : forAll)
    if (!cached) return refuse(reply, form)
    const packing = cached.packed.get(form) ?? pack(form.render(cached.page, `${baseUrl}/status/${target.slug}`))
    cached.packed.set(form, packing)
    const packed = await packing
    reply.headers({
      // Browsers revalidate each time, so that the owner sees every change; most responses are a 304.
      'cache-control': `public, max-age=0, s-maxage=${maxAge / seconds(1)}`,
      etag: packed.etag,
      vary: 'Accept-Encoding',
    })
    if (matchesEtag(request.headers['if-none-match'], packed.etag)) return reply.code(304).send()
    const encoding = (['br', 'gzip'] as const).find((name) => acceptsEncoding(name, request.headers['accept-encoding']))
    if (encoding) reply.header('content-encoding', encoding)
    return reply.type(form.type).send(packed[encoding ?? 'identity'])
  }

  app.get(
    '/status/:slug',
    optionsOf({
      summary: 'Get a status page',
      querystring: Query,
      response: {
        200: contentOf('text/html', 'The page.'),
        404: contentOf('text/html', 'A page that says so.', '<!doctype html>…'),
      },
    }),
    (request, reply) => {
      const target = readPageRequest(request)
      // The router doesn't match `.json` after a slug that contains a line break.
      return answer(request, reply, target.slug.endsWith('.json') ? json : html, target)
    },
  )
  app.get(
    '/status/:slug/feed.xml',
    optionsOf({
      summary: "Get a status page's incidents as an Atom feed",
      failures: [404],
      response: { 200: contentOf('application/atom+xml', 'The feed.') },
    }),
    (request, reply) => answer(request, reply, feed, { ...readPageRequest(request), page: 1 }),
  )
  app.get(
    '/status/:slug.json',
    {
      ...optionsOf({
        summary: 'Get a status page as JSON',
        failures: [404],
        querystring: Query,
        response: { 200: PublicJson },
      }),
      // The body is already serialized and compressed, once for all visitors.
      serializerCompiler: () => (body) => String(body),
    },
    (request, reply) => answer(request, reply, json, readPageRequest(request)),
  )
}

/** `page` is 0 if the requested one is not a valid page number. */
function readPageRequest(request: FastifyRequest): { slug: string; page: number } {
  const { slug = '' } = request.params as { slug?: string }
  const { page = '1' } = request.query as { page?: string }
  return { slug, page: typeof page === 'string' && /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 0 }
}

function refuse(reply: FastifyReply, form: PageFormat) {
  reply.code(404).header('cache-control', 'no-store')
  if (form === html) return reply.type(html.type).send(missingHtml())
  return reply.type(json.type).send(Buffer.from(JSON.stringify({ error: 'Status page not found.' })))
}

async function pack(text: string): Promise<Packed> {
  const identity = Buffer.from(text)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 6 }
  const [br, gzip] = await Promise.all([brotli(identity, { params }), gzipped(identity)])
  return { etag: `W/"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`, identity, br, gzip }
}

const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((one) => [etag, '*', etag.slice(2)].includes(one.trim()))
