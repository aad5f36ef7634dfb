import type { Filter } from './relay.ts'

/** What a message of this entry looks like. */
export function PreviewPart(_props: {
  id: string | undefined
  values: { filter: Filter; showActor: boolean; mentionRole: string | null }
}) {
  return null
}
