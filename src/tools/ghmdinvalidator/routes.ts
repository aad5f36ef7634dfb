import { EntryId } from '../../entries/contract.ts'
import { entryStore } from '../../entries/store.ts'
import type { Context } from '../../platform/context.ts'
import { byOf } from '../../platform/http/access/actor.ts'
import { callerOf, guard } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { invalid } from '../../shared/http-error.ts'
import type { GhmdinvalidatorConfig } from './config.ts'
import { ghmdinvalidator, HookAddress, LastImages, Preview, PreviewBody } from './contract.ts'
import { hook } from './hook/hook.ts'
import { renewHook } from './hook/hook-address.ts'
import { otherImages } from './page/discover.ts'
import { type PageContext, readPage } from './page/page.ts'
import { pageKind } from './page/page-kind.ts'
import { purgeStore } from './store.ts'

/** The calls that only this tool has: what a run would find, what the last one did, and a URL that starts one. */
export function routes(
  app: App,
  context: Context<GhmdinvalidatorConfig>,
  requireGithubPage: (url: string) => void,
): void {
  const { path, label, id: tool } = ghmdinvalidator
  const tags = [label]
  const mayUse = guard('Tools', 1)

  app.post(
    `${path}/preview`,
    {
      ...mayUse,
      schema: {
        tags,
        summary: 'Preview what a run would find on a page',
        body: PreviewBody,
        response: { 200: Preview },
      },
    },
    async (request) => {
      requireGithubPage(request.body.url)
      context.visitLimits.takeCheck(callerOf(request).user.id)
      return preview(request.body.url, context)
    },
  )

  app.get(
    `${path}/images`,
    {
      ...mayUse,
      schema: {
        tags,
        summary: "Get the last run's outcome for each image",
        querystring: EntryId,
        response: { 200: LastImages },
      },
    },
    async (request) => {
      const { id } = await entryStore(context.db).get(tool, request.query.id, callerOf(request).user)
      return LastImages.parse(await purgeStore(context.db).last(id))
    },
  )

  app.post(
    `${path}/hook`,
    {
      ...mayUse,
      schema: {
        tags,
        summary: 'Regenerate the hook URL; the old one stops working immediately',
        querystring: EntryId,
        response: { 200: HookAddress },
      },
    },
    async (request) => ({ hookUrl: await renewHook(context, byOf(request), request.query.id) }),
  )

  hook(app, context)
}

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
