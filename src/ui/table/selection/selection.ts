import { useEffect, useEffectEvent, useState } from 'react'
import type { ListState } from '../column.ts'

/** Which rows of a list are selected, by their ids. */
export type Selection = {
  ids: ReadonlySet<string>
  /** Selects only these. */
  replace: (ids: Iterable<string>) => void
  toggle: (ids: readonly string[], on: boolean) => void
}

const noIds: ReadonlySet<string> = new Set()

/** Nothing stays selected that another search may not show. Escape selects nothing. */
export function useSelection({ filters }: Pick<ListState, 'filters'>): Selection {
  const search = JSON.stringify(filters)
  const [kept, setKept] = useState({ search, ids: noIds })
  const ids = kept.search === search ? kept.ids : noIds
  const replace = (next: Iterable<string>) => setKept({ search, ids: new Set(next) })
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
    toggle: (some, on) =>
      setKept((now) => {
        const selected = now.search === search ? now.ids : noIds
        if (on) return { search, ids: new Set([...selected, ...some]) }
        // An answer that comes after another search takes nothing from that one's selection.
        const left = new Set(now.ids)
        for (const id of some) left.delete(id)
        return { ...now, ids: left }
      }),
  }
}

/** Whether the key is meant for the page: in a dialog or menu, and where one types, Escape has another meaning. */
const isOnPage = (target: EventTarget | null) =>
  document.querySelector('[role=dialog], [role=menu]') === null &&
  !(target instanceof HTMLInputElement && target.type !== 'checkbox')
