import { Link } from '@tanstack/react-router'
import { List, Plus } from 'lucide-react'
import { type FocusEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { iconButtonClass } from '../button.tsx'
import type { Ways } from './menu.ts'
import css from './popup.module.css'

const links = [
  { way: 'list', label: 'All entries', Icon: List },
  { way: 'create', label: 'New entry', Icon: Plus },
] as const

/**
 * An item of a menu with what its tool leads to beside itself, while the item is pointed at or has the focus. Left and
 * right go there and back; up and down go from item to item as ever.
 */
export function WithWays({ ways, onGo, children }: { ways: Ways | undefined; onGo: () => void; children: ReactNode }) {
  const row = useRef<HTMLDivElement>(null)
  const [isPointed, setPointed] = useState(false)
  const [isFocused, setFocused] = useState(false)
  if (!ways) return children
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (by === undefined) return
    const items = [...(row.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
    const at = items.findIndex((item) => item.matches(':focus'))
    items[at + by]?.focus()
    event.preventDefault()
    event.stopPropagation()
  }
  const onBlur = ({ relatedTarget }: FocusEvent) => setFocused(row.current?.contains(relatedTarget) ?? false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the items in it
    <div
      ref={row}
      className={css.row}
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocus={() => setFocused(true)}
      onBlur={onBlur}
      onKeyDown={onKey}
    >
      {children}
      {(isPointed || isFocused) && (
        <span className={css.ways}>
          {links.map(({ way, label, Icon }) => (
            <Link
              key={way}
              to={ways[way]}
              role="menuitem"
              tabIndex={-1}
              className={iconButtonClass}
              aria-label={label}
              title={label}
              onClick={onGo}
            >
              <Icon size={16} aria-hidden="true" />
            </Link>
          ))}
        </span>
      )}
    </div>
  )
}
