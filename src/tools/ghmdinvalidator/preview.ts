import { invalid } from '../../shared/http-error.ts'
import type { Preview } from './contract.ts'
import { otherImages } from './page/discover.ts'
import { type PageContext, readPage } from './page/page.ts'
import { pageKind } from './page/page-kind.ts'

/** What a run of this page would find; nothing is purged. Throws a 400 that says why the page cannot be read. */
export async function preview(address: string, context: PageContext): Promise<Preview> {
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
