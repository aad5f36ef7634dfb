import type { Detail, EntryScreens, Item } from './tool-pages.ts'

/** What a copy of this entry begins with; its owner is whoever makes it. */
export const copyOf = <Row extends Item, Entry extends Detail, Settings extends object>(
  { settingsOf, withoutSecrets }: Pick<EntryScreens<Row, Entry, Settings>, 'settingsOf' | 'withoutSecrets'>,
  original: Entry,
) => {
  const settings = settingsOf(original)
  return { ...settings, ...withoutSecrets?.(settings), status: original.status }
}
