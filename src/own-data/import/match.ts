import { pacer } from '../../platform/imports/pacer.ts'
import type { Draft, ImportingTool } from './draft.ts'
import type { Present } from './present.ts'

/** A draft, and all that a new entry made of it would be; undefined if none can be made of it alone. */
export type Offer = { draft: Draft; whole: Readonly<Record<string, unknown>> | undefined }

/**
 * Which entry each draft means: the one with its id, else one that says the same, else one of the same name about the
 * same, else one about the same. No entry is meant twice.
 */
export async function matches(
  tool: ImportingTool,
  offers: readonly Offer[],
  present: readonly Present[],
): Promise<Map<Draft, Present>> {
  const pause = pacer()
  const free = new Set(present)
  const found = new Map<Draft, Present>()
  const pair = (draft: Draft, entry: Present | undefined) => {
    if (entry && free.delete(entry)) found.set(draft, entry)
  }
  const byId = new Map(present.map((entry) => [entry.id, entry]))
  for (const { draft } of offers) if (draft.id !== undefined) pair(draft, byId.get(draft.id))

  const { inFull, byName, about } = marks(tool, present)
  const left = (markOf: (fields: Fields) => string) =>
    Map.groupBy(free, (entry) => markOf({ ...entry.settings, ...entry }))
  const rounds = [
    [inFull, ({ whole }: Offer) => whole],
    [byName, ({ draft }: Offer) => draft.body],
    [about, ({ draft }: Offer) => draft.body],
  ] as const
  for (const [markOf, fieldsOf] of rounds) {
    const queues = left(markOf)
    for (const offer of offers) {
      await pause()
      const fields = fieldsOf(offer)
      if (fields && !found.has(offer.draft)) pair(offer.draft, queues.get(markOf(fields))?.shift())
    }
  }
  return found
}

type Fields = Readonly<Record<string, unknown>>

/** By what an entry and a draft are compared; secrets, which may be masked, are no part of it. */
function marks(tool: ImportingTool, [first]: readonly Present[]) {
  const { field, identity } = tool.imports
  const secret = Object.keys((first && tool.secrets?.mask(first.settings)) ?? {})
  const open = Object.keys(tool.contract.Settings.shape).filter((name) => name !== field && !secret.includes(name))
  const about = (fields: Fields) => identity(String(fields[field] ?? ''))
  const byName = (fields: Fields) => JSON.stringify([about(fields), fields.name ?? null])
  const inFull = (fields: Fields) =>
    JSON.stringify([byName(fields), fields.status, fields.notifyAfter, open.map((name) => fields[name])])
  return { about, byName, inFull }
}
