import { logos } from '../../platform/badge/logos.ts'
import type { Context } from '../../platform/context.ts'
import type { FastAnswer, FastCall } from '../../platform/http/connection/fast-path.ts'
import type { ViewCounter } from './counting/counter.ts'
import type { Views } from './counting/ledger.ts'
import { statsOf } from './counting/stats.ts'
import { type Options, readOptions, readTag } from './options.ts'
import { lastDaysOf, viewsWithin } from './periods.ts'
import { badgePictures, type Extras } from './svg.ts'
import type { Source } from './terms.ts'

/** Headers that prevent caching, and let scripts on any site read X-Views and X-Lastview. */
export const headers = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'cache-control': 'max-age=0, no-cache, no-store, must-revalidate',
  pragma: 'no-cache',
  expires: '0',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Views, X-Lastview',
}

const noViews: Views = { views: 0, lastView: undefined }

type Needs = Pick<Context, 'db' | 'now'> & {
  counter: ViewCounter
  /** This server's own origins, whose pages preview badges without counting views. */
  origins: readonly string[]
  complain: (error: unknown) => void
}

/** Answers badge requests, always with an image, even for errors. */
export function badgeAnswers({ db, now, counter, origins, complain }: Needs) {
  const pictures = badgePictures()
  const { find: findLogo } = logos()

  const refuse = (status: number, words: string, more?: Record<string, string>): FastAnswer => ({
    status,
    headers: { ...headers, ...more },
    body: pictures.problem(words),
  })

  /** A period or a sparkline needs another database query. */
  async function draw(tag: string, { views, hidden }: Views, options: Options): Promise<string> {
    const { period, style, logo } = options
    const extras: Extras = { logo: logo === undefined ? undefined : await findLogo(logo) }
    if (hidden) return pictures.label(options, extras)
    if (style === 'sparkline') extras.line = lastDaysOf((await statsOf(db, tag, now())).days, now())
    const count = period ? await viewsWithin(db, { tag, totalViews: views, period }, now()) : views
    return pictures.views(count, options, extras)
  }

  const successAnswer = ({ views, lastView }: Views, body: string): FastAnswer => ({
    status: 200,
    headers: lastView
      ? { ...headers, 'x-views': String(views), 'x-lastview': new Date(lastView).toISOString() }
      : { ...headers, 'x-views': String(views) },
    body,
  })

  async function answer(call: FastCall): Promise<FastAnswer> {
    const tag = readTag(call.part)
    if (typeof tag !== 'string') return refuse(400, tag.problem)
    const options = readOptions(call.url)
    if ('problem' in options) return refuse(400, options.problem)
    try {
      const seen = shouldCount(call, origins)
        ? await counter.count(tag, sourceOf(call), call.address)
        : ((await counter.peek(tag)) ?? noViews)
      if (seen === 'too many new tags') return refuse(429, seen, { 'retry-after': '3600' })
      return successAnswer(seen, await draw(tag, seen, options))
    } catch (error) {
      complain(error)
      return refuse(503, '?')
    }
  }

  return {
    answer,
    problem: pictures.problem,
  }
}

/** HEAD requests and previews on our own pages don't count as views. */
const shouldCount = (call: FastCall, origins: readonly string[]): boolean =>
  call.method === 'GET' && !isPreview(call, origins)

/** Falls back to the Referer header, because browsers don't send Sec-Fetch-Site over plain HTTP. */
function isPreview({ headers }: FastCall, origins: readonly string[]): boolean {
  const { 'sec-fetch-site': site, referer } = headers
  if (site !== undefined) return site === 'same-origin'
  return referer !== undefined && origins.some((origin) => referer.startsWith(`${origin}/`))
}

const sourceOf = ({ headers }: FastCall): Source =>
  headers['user-agent']?.toLowerCase().startsWith('github-camo') ? 'camo' : 'other'
