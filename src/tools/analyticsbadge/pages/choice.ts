import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useDebounced } from '../../../ui/debounce.ts'
import { ownWrites } from '../../../ui/navigation/own-writes.ts'
import { type Choice, choiceOf, type Search, searchOf } from './address.ts'

/** How long to wait after the last key before the image is fetched, and the address is written. */
const patience = 300

/** The badge on this page, which its address holds: as it is typed, and once nobody has typed for a moment. */
export function useChoice() {
  const search: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  const [choice, setChoice] = useState(() => choiceOf(search))
  const settled = useDebounced(choice, patience)
  const here = textOf(choiceOf(search))
  const [writes] = useState(() => ownWrites(here))

  useEffect(() => {
    // Somebody has followed a link to another badge.
    writes.follow(here, () => setChoice(choiceOf(search)))
  }, [here, search, writes])

  useEffect(() => {
    const next = textOf(settled)
    if (writes.isLast(next)) return
    writes.write(next)
    void navigate({ to: '.', replace: true, resetScroll: false, search: searchOf(settled) })
  }, [settled, navigate, writes])

  const change = (part: Partial<Choice>) => setChoice((before) => ({ ...before, ...part }))
  return { choice, settled, change }
}

const textOf = (choice: Choice) => JSON.stringify(searchOf(choice))
