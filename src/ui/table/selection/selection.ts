import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { ListState } from '../column.ts'

export type Selection = {
  ids: ReadonlySet<string>
  replace: (ids: Iterable<string>) => void
  /** Adds the ids that `load` returns, except those deselected meanwhile; none if the selection was replaced. */
  addAll: (load: () => Promise<readonly string[]>) => Promise<void>
  toggle: (ids: readonly string[], on: boolean) => void
}

const noIds: ReadonlySet<string> = new Set()

/** A selection that ends with the next search, which may not show the selected rows, or with Escape. */
export function useSelection({ filters }: Pick<ListState, 'filters'>): Selection {
  const search = JSON.stringify(filters)
  const [selection, setSelection] = useState({ search, ids: noIds })
  const ids = selection.search === search ? selection.ids : noIds
  /** The ids deselected since `addAll` started to load; undefined while it isn't loading. */
  const dropped = useRef<Set<string>>(undefined)
  const replace = (next: Iterable<string>) => {
    dropped.current = undefined
    setSelection({ search, ids: new Set(next) })
  }
  const onEscape = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented && isOnPage(event.target)) replace([])
  })
  const isAny = ids.size > 0
  useEffect(() => {
    if (!isAny) return
    addEventListener('keydown', onEscape)
    return () => removeEventListener('keydown', onEscape)
  }, [isAny])
  return {
    ids,
    replace,
    async addAll(load) {
      const out = new Set<string>()
      dropped.current = out
      const all = await load()
      if (dropped.current !== out) return
      dropped.current = undefined
      setSelection((now) =>
        now.search === search ? { search, ids: new Set([...now.ids, ...all.filter((id) => !out.has(id))]) } : now,
      )
    },
    toggle(changedIds, on) {
      for (const id of changedIds) dropped.current?.[on ? 'delete' : 'add'](id)
      setSelection((now) => {
        const selected = now.search === search ? now.ids : noIds
        if (on) return { search, ids: new Set([...selected, ...changedIds]) }
        // A response that arrives after another search must not replace that search's selection.
        const remaining = new Set(now.ids)
        for (const id of changedIds) remaining.delete(id)
        return { ...now, ids: remaining }
      })
    },
  }
}

/** Whether the key is meant for the page: in dialogs, menus and text fields, Escape has another meaning. */
const isOnPage = (target: EventTarget | null) =>
  document.querySelector('[role=dialog], [role=menu]') === null &&
  !(target instanceof HTMLInputElement && target.type !== 'checkbox')

/** Lets the checkboxes of the visible rows change a selection. */
export function useSelecting(selection: Selection | undefined, rows: readonly { id: string }[]) {
  /** The row that was selected last, where a range starts. */
  const last = useRef<string>(undefined)
  const ids = rows.map(({ id }) => id)
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
