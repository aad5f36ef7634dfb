import pLimit from 'p-limit'
import { createToken, maskAddress } from '../../entries/address.ts'
import { searchColumn } from '../../entries/list/list.ts'
import { entryToolServer, type Outcome, type RunOf } from '../../entries/tool-server.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Context } from '../../platform/context.ts'
import { invalid } from '../../shared/http-error.ts'
import { type Instant, minutes, seconds } from '../../shared/time.ts'
import { parseUrl } from '../../shared/urls/parse-url.ts'
import { githubUrls } from '../../shared/urls/reach.ts'
import { withoutQuery } from '../../shared/urls/web-url.ts'
import { type Comparer, comparer } from './compare.ts'
import { type GhmdinvalidatorConfig, ghmdinvalidatorVariables } from './config.ts'
import { ghmdinvalidator, type Mode } from './contract.ts'
import type { Found } from './discover.ts'
import { hookUrlOf } from './hook.ts'
import { migrations } from './migrations.ts'
import { isGithubPage, readPage } from './page.ts'
import { beginningOf, comparedImages } from './purge/last-images.ts'
import {
  type Attempt,
  concurrency,
  leftOut,
  oneAtATime,
  type Purged,
  type Purges,
  purge,
  purgeAll,
} from './purge/purge.ts'
import { forgetPage, purgeStore } from './purge/store.ts'
import { routes } from './routes.ts'

type RunContext = Context<GhmdinvalidatorConfig>

const tryAgainAfter = seconds(30)
const longestShown = 120
/** So long a run compares copies; what is left then is purged without a look. */
const longestLook = minutes(2)

/** One run: reads the page, purges the proxied images on it, and keeps what it found until a page is read again. */
async function run(
  { url, mode }: { url: string; mode: Mode },
  context: RunContext,
  { entryId, visitor, isAsked }: RunOf,
): Promise<Outcome> {
  const at = context.now()
  const began = context.elapsed()
  const store = purgeStore(context)
  const page = await readPage(url, context)
  const ended = (outcome: { success: true; count: number; note?: string } | Failed): Outcome => ({
    ...outcome,
    duration: Math.round(context.elapsed() - began),
  })
  if (!page.read) {
    if (page.internal) return { again: tryAgainAfter, why: page.note }
    const { note, unreachable = false } = page
    return ended({ success: false, count: 0, note, unreachable, ...waitOf(page) })
  }
  const { found, movedTo } = page
  await store.cleanUp(context.now())
  const look = () => comparer(context, { visitor, until: context.elapsed() + longestLook })
  const purges = await (mode === 'stale' ? purgeStale(found, context, look()) : purgeEach(found, context))
  if (purges.internal !== undefined) return { again: tryAgainAfter, why: purges.internal }
  const isCompared = mode === 'stale' || isAsked
  const images = mode === 'always' && isAsked ? await compared(purges.images, look()) : purges.images
  context.events.publish(await store.saveRun(entryId, { at, url, movedTo, images, isCompared }))
  return ended(outcomeOf({ ...purges, images }, movedTo, mode))
}

const purgeEach = (found: readonly Found[], context: RunContext) =>
  purgeAll(found, context, ({ camo }, mayTry) => purgeUnlessFresh(camo, mayTry, context))

/** Purges only what differs from the image itself, and compares that again. What can't be compared is purged. */
const purgeStale = (found: readonly Found[], context: RunContext, { isOver, compare, afterPurge }: Comparer) =>
  purgeAll(found, context, async (image, mayTry): Promise<Attempt> => {
    if (!mayTry || isOver()) return purgeUnlessFresh(image.camo, mayTry, context)
    const seen = await compare(image)
    if (seen.isUnknown) return purgeUnlessFresh(image.camo, mayTry, context)
    if (seen.isProxyFault) return { outcome: 'failed', note: seen.cause ?? '', seen, ...seen.isProxyFault }
    if (seen.state !== 'stale') return { outcome: 'kept', seen }
    const attempt = await purgeUnlessFresh(image.camo, mayTry, context)
    if (attempt.outcome === 'failed') return { ...attempt, seen: { ...seen, state: 'failed', cause: attempt.note } }
    const after = await afterPurge(image, seen.origin)
    return after.isUnknown ? attempt : { ...attempt, seen: after }
  })

/** Compares the copies of images that were just purged. */
const compared = (images: readonly Purged[], { afterPurge }: Comparer): Promise<Purged[]> =>
  pLimit(concurrency).map(images, async (image) => {
    const seen = await afterPurge(image)
    if (seen.isUnknown) return image
    // That the purge failed matters more than what GitHub serves since.
    return image.outcome === 'failed' && !seen.isDead ? image : { ...image, seen }
  })

/** Skips an image that any entry purged in the last minutes. */
async function purgeUnlessFresh(camo: string, mayTry: boolean, context: RunContext): Promise<Attempt> {
  const store = purgeStore(context)
  if (!mayTry) return (await store.isFresh(camo, context.now())) ? { outcome: 'fresh' } : leftOut
  return oneAtATime(camo, async () => {
    if (await store.isFresh(camo, context.now())) return { outcome: 'fresh' }
    const attempt = await purge(camo, context)
    if (attempt.outcome === 'purged') await store.remember(camo, context.now())
    return attempt
  })
}

type Failed = { success: false; count: number; note: string; wait?: Instant; unreachable?: boolean }

/** An image that was purged recently counts: no old copy of it is served. */
function outcomeOf({ images, first, ...asked }: Purges, movedTo: string | null, mode: Mode) {
  const tried = images.filter((image) => image.outcome !== 'kept')
  const count = tried.filter((image) => image.outcome !== 'failed').length
  const moved = movedTo === null ? [] : [`moved to ${shortened(movedTo)}`]
  if (first) {
    const note = `${count} of ${tried.length} images; ${shortened(first.origin)}: ${first.note}`
    return { success: false as const, count, note, ...waitOf(asked) }
  }
  const found = images.length === 0 ? ['no cached images on this page'] : []
  const note = [...found, ...(mode === 'stale' ? figures(images) : []), ...moved].join('; ')
  return { success: true as const, count, ...(note ? { note } : {}) }
}

/** How many images needed no purge, or one that didn't help. */
function figures(images: readonly Purged[]): string[] {
  const named = ['current', 'still stale', 'changing', 'dead'] as const
  const states = images.map(({ seen }) => (seen?.isDead ? 'dead' : seen?.state))
  const counts = named.map((name) => [states.filter((state) => state === name).length, name] as const)
  const told = counts.filter(([count]) => count > 0).map(([count, name]) => `${count} ${name}`)
  return told.length === 0 ? [] : [told.join(', ')]
}

const waitOf = ({ wait }: { wait?: Instant }) => (wait === undefined ? {} : { wait })
// Notes are told in messages.
const shortened = (address: string) => beginningOf(withoutQuery(address), longestShown)

const defaultInterval = (config: GhmdinvalidatorConfig) => config.ghmdinvalidatorEvery

export const server = entryToolServer<typeof ghmdinvalidator, GhmdinvalidatorConfig>({
  contract: ghmdinvalidator,
  variables: ghmdinvalidatorVariables,
  migrations,

  async validate({ url }, { config, visitLimits }, before, user) {
    requireGithubPage(url, config)
    if (url !== before?.url) visitLimits.takeUrl(user.id)
  },
  about: ({ url }) => new URL(url).pathname.split('/').slice(1, 3).join('/').replace(/\/$/, ''),
  createToken,
  secrets: {
    complete: (settings) => settings,
    seal: (settings) => settings,
    // Entries from before there was a choice have none.
    open: (stored) => ghmdinvalidator.Settings.parse({ mode: 'always', ...Object(stored) }),
    mask: () => ({}),
  },
  masks: { hookUrl: maskAddress },
  async afterSave(id, { url }, before, tx) {
    if (before && url !== before.url) await forgetPage(tx, id)
  },
  show: (stored, context) => ({ hookUrl: hookUrlOf(stored, context) }),
  loadDetail: async (id, { db, config }) => ({ images: await comparedImages(db, id, config) }),
  routes: (app, context) => routes(app, context, (url) => requireGithubPage(url, context.config)),

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
    // A run makes its own second attempts.
    retries: () => false,
    perform: run,
  },
})

function requireGithubPage(url: string, { githubUrl }: Config): void {
  if (isGithubPage(new URL(url), githubUrl)) return
  const hosts = githubUrls(githubUrl).map((own) => new URL(own).host)
  throw invalid('url', `Enter a ${hosts.join(' or ')} page, such as ${githubUrl}/owner/repository.`)
}
