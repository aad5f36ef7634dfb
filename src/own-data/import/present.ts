import { openSettings } from '../../entries/settings.ts'
import { entryStore } from '../../entries/store.ts'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import { pacer } from '../../platform/imports/pacer.ts'
import type { Instant } from '../../shared/time.ts'
import type { ImportingTool } from './draft.ts'

export type Settings = Record<string, unknown>
/** An entry that is there already. */
export type Present = {
  id: string
  name: string | null
  status: boolean
  notifyAfter: number
  settings: Settings
  updatedAt: Instant
}

/** A user's entries of a tool, those that can be read. */
export async function presentOf(
  context: Context,
  q: Queries,
  tool: ImportingTool,
  ownerId: string,
): Promise<Present[]> {
  const pause = pacer()
  const found: Present[] = []
  for await (const page of entryStore(context.db, q).owned(tool.contract.id, ownerId)) {
    for (const { id, name, status, notifyAfter, settings: stored, updatedAt } of page) {
      const settings = opened(context, tool, stored)
      if (settings) found.push({ id, name, status, notifyAfter, settings, updatedAt })
    }
    await pause()
  }
  return found
}

function opened(context: Context, tool: ImportingTool, stored: unknown): Settings | undefined {
  try {
    return openSettings(tool, stored, context)
  } catch {
    return undefined
  }
}
