import type { Detail, EntryScreens, Item } from './tool-pages.ts'

const longestName = 80
const copied = ' copy'

/** What a copy of this entry begins with; its owner is whoever makes it. */
export const copyOf = <Row extends Item, Entry extends Detail, Settings extends object>(
  { settingsOf, withoutSecrets }: Pick<EntryScreens<Row, Entry, Settings>, 'settingsOf' | 'withoutSecrets'>,
  original: Entry,
) => {
  const settings = settingsOf(original)
  const name = original.name === null ? '' : `${original.name.slice(0, longestName - copied.length)}${copied}`
  const { status, notifyAfter } = original
  return { ...settings, ...withoutSecrets?.(settings), name, status, notifyAfter }
}
