import { entryStore } from '../../entries/store.ts'
import type { Context } from '../../platform/context.ts'
import { byOf } from '../../platform/http/access/actor.ts'
import { callerOf, guard } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import { contentOf } from '../../platform/http/description/content.ts'
import { tooManyVisits } from '../../platform/http/description/failures.ts'
import { invalid } from '../../shared/http-error.ts'
import { check } from './compare/check.ts'
import type { GhmdinvalidatorConfig } from './config.ts'
import { ghmdinvalidator, ghmdinvalidatorCalls, type Preview } from './contract.ts'
import { hook, renewHook } from './hook.ts'
import { otherImages } from './page/discover.ts'
import { type PageContext, readPage } from './page/page.ts'
import { pageKind } from './page/page-kind.ts'
import { shownCopy } from './purge/kept-copies.ts'
import { lastImages } from './purge/last-images.ts'

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
      const { type, bytes } = await shownCopy(context.db, id, request.query.picture)
      // Whoever opens it by itself gets a document without scripts, origin and network.
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

/** What a run would find; nothing is purged. Throws a 400 that says why the page can't be read. */
async function preview(address: string, context: PageContext): Promise<Preview> {
  const page = await readPage(address, context)
  if (!page.read) throw invalid('url', `Couldn't read this page: ${page.note}.`)
  const { url, text, found, movedTo } = page
  return {
    items: found,
    ignored: otherImages(text, url, context.config.githubCamoUrl),
    kind: pageKind(new URL(url)),
    movedTo,
  }
}
