import pLimit from 'p-limit'
import { entryStore } from '../../entries/store.ts'
import type { Context } from '../../platform/context.ts'
import { byOf } from '../../platform/http/access/actor.ts'
import { callerOf, guard } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import { contentOf } from '../../platform/http/description/content.ts'
import { tooManyVisits } from '../../platform/http/description/failures.ts'
import { invalid } from '../../shared/http-error.ts'
import { seconds } from '../../shared/time.ts'
import { type Comparer, type Comparison, comparer } from './compare.ts'
import type { GhmdinvalidatorConfig } from './config.ts'
import { type Checked, type Compared, ghmdinvalidator, ghmdinvalidatorCalls, type Preview } from './contract.ts'
import { discover, type Found, otherImages } from './discover.ts'
import { hook, renewHook } from './hook.ts'
import { isGithubPage, type PageContext, pageKind, readPage } from './page.ts'
import { lastImages } from './purge/last-images.ts'
import { storedCopy } from './purge/store.ts'

/** The calls that only this tool has: what a run would find, what the last one did, and a URL that starts one. */
export function routes(
  app: App,
  context: Context<GhmdinvalidatorConfig>,
  requireGithubPage: (url: string) => void,
): void {
  const { label, id: tool } = ghmdinvalidator
  const route = routesOf(app, ghmdinvalidatorCalls, label)

  route(
    'POST /api/v1/ghmdinvalidator/preview',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Preview what a run would find on a page',
      failures: { 429: tooManyVisits },
    },
    async (request) => {
      requireGithubPage(request.body.url)
      context.visitLimits.takeCheck(callerOf(request).user.id)
      return preview(request.body.url, context)
    },
  )

  route(
    'GET /api/v1/ghmdinvalidator/images',
    {
      ...guard('Tools', 1, 'read'),
      summary: "Get the last run's outcome for each image",
      failures: { 404: 'Entry not found.' },
    },
    async (request) => {
      const { id } = await entryStore(context.db).get(tool, request.query.id, callerOf(request).user)
      return lastImages(context.db, id)
    },
  )

  route(
    'POST /api/v1/ghmdinvalidator/check',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Find out why images are old, without saving anything',
      failures: { 429: tooManyVisits },
      description: 'Takes the URL of a GitHub page, or of one image.',
    },
    async (request) => {
      const { id } = callerOf(request).user
      context.visitLimits.takeCheck(id)
      return check(request.body.url, context, id)
    },
  )

  route(
    'GET /api/v1/ghmdinvalidator/copy',
    {
      ...guard('Tools', 1, 'read'),
      summary: 'Get a copy of an image from the last comparison',
      failures: { 404: ['Entry not found.', 'Picture not found.'] },
      answers: { 200: contentOf('image/*', 'The picture.') },
    },
    async (request, reply) => {
      const { id } = await entryStore(context.db).get(tool, request.query.id, callerOf(request).user)
      const { type, bytes } = await storedCopy(context.db, id, request.query.picture)
      // Opened by itself, it is a document without scripts, origin and network.
      return reply.header('content-security-policy', copyPolicy).type(type).send(bytes)
    },
  )

  route(
    'POST /api/v1/ghmdinvalidator/hook?id',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Regenerate the hook URL; the old one stops working immediately',
      failures: { 404: 'Entry not found.' },
    },
    async (request) => ({ hookUrl: await renewHook(context, byOf(request), request.query.id) }),
  )

  hook(app, context)
}

const copyPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

/** Throws a 400 that says why the page can't be read. */
async function requirePage(address: string, context: PageContext) {
  const page = await readPage(address, context)
  if (!page.read) throw invalid('url', `Couldn't read this page: ${page.note}.`)
  return page
}

/** What a run would find; nothing is purged. */
async function preview(address: string, context: PageContext): Promise<Preview> {
  const { url, text, found, movedTo } = await requirePage(address, context)
  return {
    items: found,
    ignored: otherImages(text, url, found),
    kind: pageKind(new URL(url)),
    movedTo,
  }
}

/** The user waits for the answer. */
const longestCheck = seconds(20)
const concurrency = 4

/** How the images of a GitHub page, or one image, compare with GitHub's copies; nothing is purged or saved. */
async function check(address: string, context: PageContext, ownerId: string): Promise<Checked> {
  const until = context.elapsed() + longestCheck
  const compare = comparer(context, { visitor: { ownerId }, until })
  const { githubUrl, githubCamoUrl } = context.config
  const [ofProxy] = discover(address, githubCamoUrl)
  if (ofProxy) return { page: null, images: await compared([ofProxy], compare) }
  if (!isGithubPage(new URL(address), githubUrl))
    return { page: null, images: [await alone(address, context, compare)] }
  const { url, found, movedTo } = await requirePage(address, context)
  return { page: { url, kind: pageKind(new URL(url)), movedTo }, images: await compared(found, compare) }
}

const compared = (found: readonly Found[], { compare }: Comparer): Promise<Compared[]> =>
  pLimit(concurrency).map(found, async (image) => toImage(image, await compare(image)))

const toImage = (image: Found | { camo: null; origin: string }, { state, cause }: Comparison): Compared => ({
  ...image,
  state,
  ...(cause === undefined ? {} : { cause }),
})

/** An image by its own address: compared if GitHub says where its copy is. */
async function alone(origin: string, context: PageContext, { compare, lookAtOrigin }: Comparer): Promise<Compared> {
  const found = await proxied(origin, context)
  if (found) return toImage(found, await compare(found))
  const unproxied = found === null ? 'shown as it is' : 'unknown'
  return toImage({ camo: null, origin }, await lookAtOrigin(origin, unproxied))
}

const timeout = seconds(5)

/** The URL under which GitHub's proxy serves this image: null if GitHub shows it without, undefined if GitHub doesn't say. */
async function proxied(origin: string, { config, outbound }: PageContext): Promise<Found | null | undefined> {
  const { githubApiUrl, githubToken, githubCamoUrl } = config
  // Only GitHub can sign such a URL, and it does so for whatever it renders.
  const text = `![image](<${new URL(origin).href.replace(/[<>\\]/g, encodeURIComponent)}>)`
  const answer = await outbound.request(`${githubApiUrl}/markdown`, {
    method: 'POST',
    headers: {
      accept: 'text/html',
      'content-type': 'application/json',
      ...(githubToken ? { authorization: `Bearer ${githubToken}` } : {}),
    },
    body: JSON.stringify({ text, mode: 'gfm' }),
    timeout,
    maxBytes: 100_000,
  })
  if (!answer.answered || answer.status !== 200) return undefined
  const html = new TextDecoder().decode(answer.body)
  const [found] = discover(html, githubCamoUrl)
  if (found) return found
  return /<img\s/i.test(html) ? null : undefined
}
