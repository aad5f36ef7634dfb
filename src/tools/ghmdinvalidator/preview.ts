import { Fault } from '../../shared/fault.ts'
import type { Preview } from './contract.ts'
import { otherImages } from './discover.ts'
import { type PageKit, readPage } from './page.ts'
import { pageKind } from './page-kind.ts'

/** What a run of this page would find; nothing is purged. Throws a 400 that says why the page cannot be read. */
export async function preview(url: string, kit: PageKit): Promise<Preview> {
  const page = await readPage(url, kit)
  if (!page.read) throw new Fault(400, `This page could not be read: ${page.note}.`, { fields: { url: page.note } })
  return {
    items: page.found,
    ignored: otherImages(page.text, kit.config.githubCamoUrl),
    kind: pageKind(new URL(page.url)),
    movedTo: samePage(page.url, url) ? null : page.url,
  }
}

/** A fragment, or a slash at the end, is no move. */
const samePage = (one: string, other: string): boolean => plain(one) === plain(other)

function plain(address: string): string {
  const url = new URL(address)
  url.hash = ''
  return url.href.replace(/\/$/, '').toLowerCase()
}
