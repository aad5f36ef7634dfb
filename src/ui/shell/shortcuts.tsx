import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef } from 'react'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import { isComposing, isField, unmodifiedKey, useKeys } from '../keys.ts'
import { lazyDialog } from '../navigation/lazy.ts'
import { areShortcutsOn, onOpenRequest, requestOpen } from './open-requests.ts'
// Like the shortcuts, print styles aren't needed by the first screen.
import './print.css'

const useModal = lazyDialog(async () => (await import('./shortcuts-modal.tsx')).ShortcutsModal)

/** A tool whose entries can be created and listed; pressing g, then `letter`, opens its list. */
export type ListedTool = { id: string; label: string; letter?: string }

/** How long after a g the next letter selects a destination. */
const sequenceTimeout: Milliseconds = seconds(2)

/** Whether a menu, list or dialog is open, each of which has keys of its own. */
const isCovered = () =>
  document.querySelector('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]') !== null

const rowsOfList = () => [...document.querySelectorAll<HTMLElement>('[data-wide] tbody > tr:has(a[href])')]
const currentRow = () => document.activeElement?.closest<HTMLElement>('[data-wide] tbody > tr') ?? null

function moveBy(step: 1 | -1) {
  const rows = rowsOfList()
  const row = currentRow()
  const at = row ? rows.indexOf(row) : -1
  const link = rows[at === -1 ? 0 : at + step]?.querySelector<HTMLElement>('a[href]')
  link?.focus()
}

const clickInRow = (selector: string) => currentRow()?.querySelector<HTMLElement>(selector)?.click()

function showPart(id: string) {
  const part = document.getElementById(id)
  if (!part) return
  part.scrollIntoView()
  part.tabIndex = -1
  part.focus({ preventScroll: true })
}

/** Single-key shortcuts outside of fields, and the dialog that lists them. */
export function Shortcuts({ tools }: { tools: readonly ListedTool[] }) {
  const navigate = useNavigate()
  const path = useLocation({ select: ({ pathname }) => pathname })
  const { Dialog, open, close, opener } = useModal()
  const askedToGoAt = useRef(-sequenceTimeout)
  const tool = tools.find(({ id }) => path.startsWith(`/tools/${id}`)) ?? tools[0]
  const go = (to: string) => () => void navigate({ to })
  const places: Record<string, () => void> = {
    h: go('/'),
    ...Object.fromEntries(tools.flatMap(({ id, letter }) => (letter ? [[letter, go(`/tools/${id}/viewlist`)]] : []))),
  }
  const acts: Record<string, () => void> = {
    '/': () => requestOpen('search'),
    '?': opener.onClick,
    j: () => moveBy(1),
    k: () => moveBy(-1),
    x: () => clickInRow('input[type=checkbox]'),
    e: () => clickInRow('a[aria-label^=Edit]'),
    1: () => showPart('overview'),
    2: () => showPart('settings'),
    3: () => showPart('share'),
    ...(tool && { n: go(`/tools/${tool.id}/create`) }),
  }
  useKeys((event) => {
    if (event.defaultPrevented || isComposing(event) || isField(event.target) || isCovered() || !areShortcutsOn())
      return
    const pressed = unmodifiedKey(event)
    if (pressed === undefined) return
    const isPlace = event.timeStamp - askedToGoAt.current < sequenceTimeout
    askedToGoAt.current = pressed === 'g' ? event.timeStamp : -sequenceTimeout
    const act = (isPlace ? places : acts)[pressed]
    if (!act) return
    event.preventDefault()
    act()
  })
  const onAskedFor = useEffectEvent(opener.onClick)
  useEffect(() => onOpenRequest('shortcuts', onAskedFor), [])
  return Dialog && <Dialog open={open} tools={tools} onClose={close} />
}
