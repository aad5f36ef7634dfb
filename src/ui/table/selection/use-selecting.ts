import { useRef } from 'react'
import type { Selection } from './selection.ts'

/** How the checkboxes of the rows shown change a selection. */
export function useSelecting(selection: Selection | undefined, shown: readonly { id: string }[]) {
  /** The row that was selected last, where a range begins. */
  const last = useRef<string>(undefined)
  const ids = shown.map(({ id }) => id)
  const selected = ids.filter((id) => selection?.ids.has(id))
  const rangeTo = (id: string) => {
    const [from, to] = [ids.indexOf(last.current ?? id), ids.indexOf(id)]
    return from === -1 ? [id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1)
  }
  return {
    areAll: ids.length > 0 && selected.length === ids.length,
    areSome: selected.length > 0 && selected.length < ids.length,
    selectPage: (on: boolean) => selection?.toggle(ids, on),
    select(id: string, on: boolean, range: boolean) {
      selection?.toggle(range ? rangeTo(id) : [id], on)
      last.current = id
    },
  }
}
