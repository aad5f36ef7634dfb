import type { Fields } from '../../ui/form/fields.ts'
import type { PageEntry } from '../contract.ts'

/** What the page knows of a tool with entries. */
export type EntryTool = { id: string; label: string }
export type Values = { slug: string; title: string; text: string; entries: readonly PageEntry[] }
export type Body = Omit<Values, 'entries'> & { entries: Pick<PageEntry, 'tool' | 'id' | 'showUrl'>[] }

export const pageFields: Fields<Values> = {
  slug: { label: 'Address', blank: '', required: true },
  title: { label: 'Title', blank: '', required: true },
  text: { label: 'Text (optional)', blank: '' },
  entries: { label: 'Entries', blank: [] },
}

export const bodyOf = ({ slug, title, text, entries }: Values): Body => ({
  slug,
  title: title.trim(),
  text: text.trim(),
  entries: entries.map(({ tool, id, showUrl }) => ({ tool, id, showUrl })),
})

/** Removes what an address can't have as it is typed. */
export const cleanSlug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-')
    .replaceAll(/[^a-z0-9-]/g, '')
    .slice(0, 40)

/** The list with one item one place further up or down. */
export function moved<Item>(items: readonly Item[], from: number, by: -1 | 1): readonly Item[] {
  const [item] = items.slice(from, from + 1)
  if (item === undefined || from + by < 0 || from + by >= items.length) return items
  return items.toSpliced(from, 1).toSpliced(from + by, 0, item)
}
