import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { AnyEntryToolServer } from '../../entries/tool-server.ts'
import { anonymous } from '../../platform/http/access/guard.ts'
import { secureHeaders } from '../../platform/http/access/headers.ts'
import type { App } from '../../platform/http/app.ts'
import { contentOf } from '../../platform/http/description/content.ts'
import { takes } from '../../platform/http/page/compress-answer.ts'
import type { LiveEvents } from '../../platform/live/live-events.ts'
import { snapshots } from '../../platform/live/snapshots.ts'
import { seconds } from '../../shared/time.ts'
import { slugPattern } from '../contract.ts'
import { feedOf, jsonOf, PublicJson } from './feeds.ts'
import { htmlOf, missingHtml, stylePolicy } from './html.ts'
import { loadPage, type PublicContext, type PublicPage } from './load.ts'

const maxAge = seconds(10)
const maxCached = 200
const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

type Packed = { etag: string; identity: Buffer; br: Buffer; gzip: Buffer }
/** One form in which a page is answered, made when it is first asked for. */
type Form = { type: string; render: (page: PublicPage, root: string) => string }
type Known = { ownerId: string; page: PublicPage; packed: Map<Form, Promise<Packed>> }

const html: Form = { type: 'text/html; charset=utf-8', render: htmlOf }
const feed: Form = { type: 'application/atom+xml; charset=utf-8', render: feedOf }
const json: Form = { type: 'application/json; charset=utf-8', render: jsonOf }

const Slug = z.object({ slug: z.string() })
const Query = z.object({ page: z.optional(z.string()) })
const tags = ['Status page']
const noPage = 'Status page not found.'
const description = 'A 404 also while its owner may not use the tools. It is kept for some seconds.'

/** A user's status page for everybody, as HTML, as a feed of its incidents and as JSON. */
export function publicStatusRoutes(
  app: App,
  context: PublicContext & { events: LiveEvents; elapsed: () => number },
  tools: ReadonlyMap<string, AnyEntryToolServer>,
): void {
  const { baseUrl } = context.config
  const secure = { ...secureHeaders(context.config), 'content-security-policy': stylePolicy }
  const forAll = { 'access-control-allow-origin': '*' }
  const share = snapshots<Known>(context, { most: maxCached, keptFor: maxAge })

  const load = ({ slug, page }: { slug: string; page: number }) =>
    share(`${slug} ${page}`, async () => {
      const found = await loadPage(context, tools, { slug, page })
      return found && { ownerId: found.ownerId, page: found, packed: new Map() }
    })

  /** Nothing is looked up for an address that nobody can have, nor for pages beyond the last one. */
  async function find({ slug, page }: { slug: string; page: number }): Promise<Known | undefined> {
    if (page === 0 || !slugPattern.test(slug)) return undefined
    const first = await load({ slug, page: 1 })
    if (page === 1 || !first || page > first.page.pages) return page === 1 ? first : undefined
    return load({ slug, page })
  }

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    form: Form,
    asked: { slug: string; page: number },
  ) {
    const known = await find(asked)
    reply.headers(form === html ? secure : forAll)
    if (!known) return refuse(reply, form)
    const packing = known.packed.get(form) ?? pack(form.render(known.page, `${baseUrl}/status/${asked.slug}`))
    known.packed.set(form, packing)
    const packed = await packing
    reply.headers({
      // Browsers ask each time, so that its owner sees every change, and mostly learn that nothing changed.
      'cache-control': `public, max-age=0, s-maxage=${maxAge / seconds(1)}`,
      etag: packed.etag,
      vary: 'Accept-Encoding',
    })
    if (isKnown(request.headers['if-none-match'], packed.etag)) return reply.code(304).send()
    const encoding = (['br', 'gzip'] as const).find((name) => takes(name, request.headers['accept-encoding']))
    if (encoding) reply.header('content-encoding', encoding)
    return reply.type(form.type).send(packed[encoding ?? 'identity'])
  }

  app.get(
    '/status/:slug',
    {
      ...anonymous(),
      schema: {
        tags,
        summary: 'Get a status page',
        description,
        params: Slug,
        querystring: Query,
        response: {
          200: contentOf('text/html', 'The page.'),
          404: contentOf('text/html', 'A page that says so.', '<!doctype html>…'),
        },
      },
      validatorCompiler: () => () => true,
    },
    (request, reply) => {
      const asked = askedOf(request)
      // The router finds no ending after a slug with a line break.
      return answer(request, reply, asked.slug.endsWith('.json') ? json : html, asked)
    },
  )
  app.get(
    '/status/:slug/feed.xml',
    {
      ...anonymous(),
      schema: {
        tags,
        summary: "Get a status page's incidents as an Atom feed",
        description,
        failures: { 404: noPage },
        params: Slug,
        response: { 200: contentOf('application/atom+xml', 'The feed.') },
      },
      validatorCompiler: () => () => true,
    },
    (request, reply) => answer(request, reply, feed, { ...askedOf(request), page: 1 }),
  )
  app.get(
    '/status/:slug.json',
    {
      ...anonymous(),
      schema: {
        tags,
        summary: 'Get a status page as JSON',
        description,
        failures: { 404: noPage },
        params: Slug,
        querystring: Query,
        response: { 200: PublicJson },
      },
      validatorCompiler: () => () => true,
      // Rendered and packed once for all who ask.
      serializerCompiler: () => (body) => String(body),
    },
    (request, reply) => answer(request, reply, json, askedOf(request)),
  )
}

/** The page is 0 for a number that there never is. */
function askedOf(request: FastifyRequest): { slug: string; page: number } {
  const { slug = '' } = request.params as { slug?: string }
  const { page = '1' } = request.query as { page?: string }
  return { slug, page: typeof page === 'string' && /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 0 }
}

function refuse(reply: FastifyReply, form: Form) {
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

const isKnown = (asked: string | undefined, etag: string): boolean =>
  (asked ?? '').split(',').some((one) => [etag, '*', etag.slice(2)].includes(one.trim()))
