import * as z from 'zod/mini'
import { openSettings } from './settings.ts'
import type { StoredEntry } from './store.ts'
import type { AnyEntryTool, Showing } from './tool.ts'

/** An entry with its settings in clear. Throws when what is kept of it does not fit the contract. */
export const shown = (tool: AnyEntryTool, { tool: _, ownerId: __, settings, ...entry }: StoredEntry, kit: Showing) => ({
  ...openSettings(tool, settings, kit),
  ...tool.show?.(settings, kit),
  ...entry,
})

/** Why an entry cannot be shown. */
export type Unreadable = { id: string; why: string }

/** Entries as a list shows them, and those of which something is kept that does not fit the contract. */
export async function listed(tool: AnyEntryTool, entries: readonly StoredEntry[], kit: Showing) {
  const ids = entries.map(({ id }) => id)
  const beside = await tool.beside?.(ids, kit)
  const unreadable: Unreadable[] = []
  const items = entries.flatMap((entry) => {
    try {
      const item = shown(tool, entry, kit)
      return [tool.contract.ListItem.parse({ ...item, ...tool.keeping?.mask(item), ...beside?.get(entry.id) })]
    } catch (error) {
      unreadable.push({ id: entry.id, why: whyOf(error) })
      return []
    }
  })
  return { items, unreadable }
}

function whyOf(error: unknown): string {
  if (!(error instanceof z.core.$ZodError)) return String(error)
  return error.issues.map(({ path, message }) => `${path.join('.') || 'settings'}: ${message}`).join(' ')
}
