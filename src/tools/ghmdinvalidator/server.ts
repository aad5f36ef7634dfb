import pLimit from 'p-limit'
import { createToken, maskAddress } from '../../entries/address.ts'
import { searchColumn } from '../../entries/list/list.ts'
import { entryStore } from '../../entries/store.ts'
import { entryToolServer, type Outcome, type RunOf } from '../../entries/tool-server.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Context } from '../../platform/context.ts'
import { actingUserOf } from '../../platform/http/access/actor.ts'
import { callerOf, guard } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import { contentOf } from '../../platform/http/description/content.ts'
import { invalid } from '../../shared/http-error.ts'
import { type Milliseconds, minutes, seconds } from '../../shared/time.ts'
import { parseUrl } from '../../shared/urls/parse-url.ts'
import { githubUrls } from '../../shared/urls/reach.ts'
import { withoutQuery } from '../../shared/urls/web-url.ts'
import { type Comparer, type Comparison, comparer } from './compare.ts'
import { type GhmdinvalidatorConfig, ghmdinvalidatorVariables } from './config.ts'
import {
  type Checked,
  type Compared,
  ghmdinvalidator,
  ghmdinvalidatorCalls,
  type Mode,
  type Preview,
} from './contract.ts'
import { findProxiedImages, otherImages, type ProxiedImage } from './discover.ts'
import { hookRoute, hookUrlOf, renewHook } from './hook.ts'
import { migrations } from './migrations.ts'
import { isGithubPage, type PageContext, pageKind, readPage } from './page.ts'
import { comparedImages, lastImages, truncate } from './purge/last-images.ts'
import {
  type Attempt,
  concurrency,
  type PurgeResult,
  type PurgeSummary,
  purge,
  purgeAll,
  shareAttempt,
  skippedAttempt,
} from './purge/purge.ts'
import { deleteFindings, purgeStore, storedCopy } from './purge/store.ts'

function routes(app: App, context: RunContext): void {
  const { label, id: tool } = ghmdinvalidator
  const route = routesOf(app, ghmdinvalidatorCalls, label)

  route(
    'POST /api/v1/ghmdinvalidator/preview',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Preview what a run would find on a page',
      failures: [429],
    },
    async (request) => {
      requireGithubPage(request.body.url, context.config)
      context.visitLimits.consumeCheck(callerOf(request).user.id)
      return preview(request.body.url, context)
    },
  )

  route(
    'GET /api/v1/ghmdinvalidator/images',
    {
      ...guard('Tools', 1, 'read'),
      summary: "Get the last run's outcome for each image",
      failures: [404],
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
      failures: [429],
      description: 'Accepts the URL of a GitHub page or of a single image.',
    },
    async (request) => {
      const { id } = callerOf(request).user
      context.visitLimits.consumeCheck(id)
      return check(request.body.url, context, id)
    },
  )

  route(
    'GET /api/v1/ghmdinvalidator/copy',
    {
      ...guard('Tools', 1, 'read'),
      summary: 'Get a copy of an image from the last comparison',
      failures: [404],
      answers: { 200: contentOf('image/*', 'The picture.') },
    },
    async (request, reply) => {
      const { id } = await entryStore(context.db).get(tool, request.query.id, callerOf(request).user)
      const { type, bytes } = await storedCopy(context.db, id, request.query.picture)
      // If opened directly, the copy is a document without scripts, origin or network access.
      return reply.header('content-security-policy', copyPolicy).type(type).send(bytes)
    },
  )

  route(
    'POST /api/v1/ghmdinvalidator/hook?id',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Regenerate the hook URL; the old one stops working immediately',
      failures: [404],
    },
    async (request) => ({ hookUrl: await renewHook(context, actingUserOf(request), request.query.id) }),
  )

  hookRoute(app, context)
}

const copyPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

/** Reads the page. Throws a 400 with the reason if it can't be read. */
async function requirePage(address: string, context: PageContext) {
  const page = await readPage(address, context)
  if (!page.read) throw invalid('url', `Couldn't read this page: ${page.note}.`)
  return page
}

async function preview(address: string, context: PageContext): Promise<Preview> {
  const { url, text, found, movedTo } = await requirePage(address, context)
  return {
    items: found,
    ignored: otherImages(text, url, found),
    kind: pageKind(new URL(url)),
    movedTo,
  }
}

/** Short, because the user waits for the response. */
const longestCheck = seconds(20)
const checkConcurrency = 4

/** Compares the images of a GitHub page, or one image, with GitHub's copies, without purging or saving anything. */
async function check(address: string, context: PageContext, ownerId: string): Promise<Checked> {
  const until = context.elapsed() + longestCheck
  const compare = comparer(context, { visitor: { ownerId }, until })
  const { githubUrl, githubCamoUrl } = context.config
  const [ofProxy] = findProxiedImages(address, githubCamoUrl)
  if (ofProxy) return { page: null, images: await comparedPage([ofProxy], compare) }
  if (!isGithubPage(new URL(address), githubUrl))
    return { page: null, images: [await checkImage(address, context, compare)] }
  const { url, found, movedTo } = await requirePage(address, context)
  return { page: { url, kind: pageKind(new URL(url)), movedTo }, images: await comparedPage(found, compare) }
}

const comparedPage = (found: readonly ProxiedImage[], { compare }: Comparer): Promise<Compared[]> =>
  pLimit(checkConcurrency).map(found, async (image) => toImage(image, await compare(image)))

const toImage = (image: ProxiedImage | { camo: null; origin: string }, { state, cause }: Comparison): Compared => ({
  ...image,
  state,
  cause,
})

/** Checks an image by its own URL; compares it if GitHub reveals the URL of its copy. */
async function checkImage(origin: string, context: PageContext, { compare, checkOrigin }: Comparer): Promise<Compared> {
  const found = await findProxiedImage(origin, context)
  if (found) return toImage(found, await compare(found))
  const unproxied = found === null ? 'shown as it is' : 'unknown'
  return toImage({ camo: null, origin }, await checkOrigin(origin, unproxied))
}

const timeout = seconds(5)

/** Finds the image's URL at GitHub's proxy; null if GitHub doesn't proxy it, undefined if that is unknown. */
async function findProxiedImage(
  origin: string,
  { config, outbound }: PageContext,
): Promise<ProxiedImage | null | undefined> {
  const { githubApiUrl, githubToken, githubCamoUrl } = config
  // Only GitHub can sign such a URL, so let it render a Markdown image.
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
  const [found] = findProxiedImages(html, githubCamoUrl)
  if (found) return found
  return /<img\s/i.test(html) ? null : undefined
}

type RunContext = Context<GhmdinvalidatorConfig>

const retryDelay = seconds(30)
const longestShown = 120
/** The time limit for comparing copies in a run; the remaining images are purged without comparison. */
const longestComparison = minutes(2)

/** Performs one run: reads the page, purges its proxied images, and stores the findings until the next read. */
async function run(
  { url, mode }: { url: string; mode: Mode },
  context: RunContext,
  { entryId, visitor, isAsked }: RunOf,
): Promise<Outcome> {
  const at = context.now()
  const began = context.elapsed()
  const store = purgeStore(context)
  const page = await readPage(url, context)
  const duration = () => Math.round(context.elapsed() - began)
  if (!page.read) {
    if (page.internal) return { retryIn: retryDelay, why: page.note }
    const { note, unreachable = false } = page
    return { success: false, count: 0, note, unreachable, ...waitOf(page), duration: duration() }
  }
  const { found, movedTo } = page
  await store.cleanUp(context.now())
  const newComparer = () => comparer(context, { visitor, until: context.elapsed() + longestComparison })
  const purges = await (mode === 'stale' ? purgeStale(found, context, newComparer()) : purgeEach(found, context))
  if (purges.internal !== undefined) return { retryIn: retryDelay, why: purges.internal }
  const isCompared = mode === 'stale' || isAsked
  const images = mode === 'always' && isAsked ? await compareAfterPurge(purges.images, newComparer()) : purges.images
  context.events.publish(await store.saveRun(entryId, { at, url, movedTo, images, isCompared }))
  return { ...outcomeOf({ ...purges, images }, movedTo, mode), duration: duration() }
}

const purgeEach = (found: readonly ProxiedImage[], context: RunContext) =>
  purgeAll(found, context, ({ camo }, mayTry) => purgeUnlessFresh(camo, mayTry, context))

/** Purges images whose copies are stale and compares them again; also purges images that couldn't be compared. */
const purgeStale = (found: readonly ProxiedImage[], context: RunContext, { isOver, compare, afterPurge }: Comparer) =>
  purgeAll(found, context, async (image, mayTry): Promise<Attempt> => {
    if (!mayTry || isOver()) return purgeUnlessFresh(image.camo, mayTry, context)
    const seen = await compare(image)
    if (seen.isUnknown) return purgeUnlessFresh(image.camo, mayTry, context)
    if (seen.proxyFault) return { outcome: 'failed', note: seen.cause ?? '', seen, ...seen.proxyFault }
    if (seen.state !== 'stale') return { outcome: 'kept', seen }
    const attempt = await purgeUnlessFresh(image.camo, mayTry, context)
    if (attempt.outcome === 'failed') return { ...attempt, seen: { ...seen, state: 'failed', cause: attempt.note } }
    const after = await afterPurge(image, seen.origin)
    return after.isUnknown ? attempt : { ...attempt, seen: after }
  })

const compareAfterPurge = (images: readonly PurgeResult[], { afterPurge }: Comparer): Promise<PurgeResult[]> =>
  pLimit(concurrency).map(images, async (image) => {
    const seen = await afterPurge(image)
    if (seen.isUnknown) return image
    // A failed purge matters more than the copy that GitHub serves now.
    return image.outcome === 'failed' && !seen.isDead ? image : { ...image, seen }
  })

async function purgeUnlessFresh(camo: string, mayTry: boolean, context: RunContext): Promise<Attempt> {
  const store = purgeStore(context)
  if (!mayTry) return (await store.isFresh(camo, context.now())) ? { outcome: 'fresh' } : skippedAttempt
  return shareAttempt(camo, async () => {
    if (await store.isFresh(camo, context.now())) return { outcome: 'fresh' }
    const attempt = await purge(camo, context)
    if (attempt.outcome === 'purged') await store.recordPurge(camo, context.now())
    return attempt
  })
}

/** Images purged recently count as purged: GitHub has no old copies of them. */
function outcomeOf({ images, first, ...rest }: PurgeSummary, movedTo: string | null, mode: Mode) {
  const tried = images.filter((image) => image.outcome !== 'kept')
  const count = tried.filter((image) => image.outcome !== 'failed').length
  const moved = movedTo === null ? [] : [`moved to ${shortenUrl(movedTo)}`]
  if (first) {
    const note = `${count} of ${tried.length} images; ${shortenUrl(first.origin)}: ${first.note}`
    return { success: false as const, count, note, ...waitOf(rest) }
  }
  const found = images.length === 0 ? ['no cached images on this page'] : []
  const note = [...found, ...(mode === 'stale' ? summarizeStates(images) : []), ...moved].join('; ')
  return { success: true as const, count, ...(note ? { note } : {}) }
}

function summarizeStates(images: readonly PurgeResult[]): string[] {
  const named = ['current', 'still stale', 'changing', 'dead'] as const
  const states = images.map(({ seen }) => (seen?.isDead ? 'dead' : seen?.state))
  const counts = named.map((name) => [states.filter((state) => state === name).length, name] as const)
  const parts = counts.filter(([count]) => count > 0).map(([count, name]) => `${count} ${name}`)
  return parts.length === 0 ? [] : [parts.join(', ')]
}

const waitOf = ({ wait }: { wait?: Milliseconds | undefined }) => (wait === undefined ? {} : { wait })
// Notes appear in messages, so their URLs are short and without secrets in the query.
const shortenUrl = (address: string) => truncate(withoutQuery(address), longestShown)

const defaultInterval = (config: GhmdinvalidatorConfig) => config.ghmdinvalidatorEvery

export const server = entryToolServer<typeof ghmdinvalidator, GhmdinvalidatorConfig>({
  contract: ghmdinvalidator,
  variables: ghmdinvalidatorVariables,
  migrations,

  async validate({ url }, { config, visitLimits }, before, user) {
    requireGithubPage(url, config)
    if (url !== before?.url) visitLimits.consumeUrl(user.id)
  },
  about: ({ url }) => new URL(url).pathname.split('/').slice(1, 3).join('/').replace(/\/$/, ''),
  createToken,
  secrets: {
    complete: (settings) => settings,
    seal: (settings) => settings,
    // Entries from before modes existed have none.
    open: (stored) => ghmdinvalidator.Settings.parse({ mode: 'always', ...Object(stored) }),
    mask: () => ({}),
  },
  masks: { hookUrl: maskAddress },
  async afterSave(id, { url }, before, tx) {
    if (before && url !== before.url) await deleteFindings(tx, id)
  },
  show: (stored, context) => ({ hookUrl: hookUrlOf(stored, context) }),
  loadDetail: async (id, { db, config }) => ({ images: await comparedImages(db, id, config) }),
  routes,

  imports: {
    field: 'url',
    identity: (url) => parseUrl(url)?.href ?? url,
    columns: ['mode'],
    fromRow: (cells) => cells,
  },
  listColumns: () => ({ url: searchColumn }),

  schedule: {
    defaultInterval,
    every: (_settings, config) => defaultInterval(config),
    subject: ({ url }) => url,
    target: ({ url }) => new URL(url).host,
    // A run retries failed requests itself.
    retries: () => false,
    perform: run,
  },
})

function requireGithubPage(url: string, { githubUrl }: Config): void {
  if (isGithubPage(new URL(url), githubUrl)) return
  const hosts = githubUrls(githubUrl).map((own) => new URL(own).host)
  throw invalid('url', `Enter a ${hosts.join(' or ')} page, such as ${githubUrl}/owner/repository.`)
}
