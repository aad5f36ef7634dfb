import { Menu } from '@base-ui/react/menu'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import surface from '../page/surface.module.css'
import type { MenuEntry } from './menu.ts'
import { EntryIcon } from './menu-icons.tsx'
import css from './popup.module.css'
import { WithWays } from './with-ways.tsx'

function Face({ entry }: { entry: MenuEntry }) {
  return (
    <>
      <span aria-hidden="true">
        <EntryIcon entry={entry} />
      </span>
      {/* The style sheet shows the hint, so that the item's accessible name is only its label. */}
      <span data-hint={entry.hint}>
        <b>{entry.label}</b>
      </span>
    </>
  )
}

function Entry({ entry, onGo }: { entry: MenuEntry; onGo: () => void }) {
  if ('act' in entry)
    return (
      <Menu.Item className={`${surface.option} ${css.item}`} onClick={entry.act}>
        <Face entry={entry} />
      </Menu.Item>
    )
  return (
    <WithWays ways={entry.ways} onGo={onGo}>
      <Menu.LinkItem
        className={`${surface.option} ${css.item}`}
        closeOnClick
        render={<Link to={entry.to} activeOptions={{ exact: true, includeSearch: false }} />}
      >
        <Face entry={entry} />
      </Menu.LinkItem>
    </WithWays>
  )
}

type MenuPopupProps = {
  entries: readonly MenuEntry[]
  className: string | undefined
  children: ReactNode
  align: 'start' | 'end'
  /** The `detail` of a click on the plain button before this menu was loaded: 0 if it came from the keyboard. */
  asked: number | undefined
  /** Whether the plain button had the focus. */
  focused: boolean
  active: boolean
}

/** A dropdown 4 px below its button. */
export function MenuPopup({ asked, ...props }: MenuPopupProps) {
  const [open, setOpen] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  // The menu itself decides what a click means, such as that the keyboard goes to the first item.
  useEffect(() => {
    if (asked === undefined) return
    trigger.current?.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: asked }))
  }, [asked])
  return (
    <Menu.Root open={open} onOpenChange={setOpen}>
      <Menu.Trigger
        ref={trigger}
        className={props.className}
        data-active={props.active || undefined}
        autoFocus={props.focused}
      >
        {props.children}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className={css.positioner} sideOffset={4} align={props.align} collisionPadding={8}>
          <Menu.Popup className={`${surface.raised} ${surface.drop} ${css.popup}`} finalFocus={trigger}>
            {props.entries.map((entry) => (
              <Entry key={entry.label} entry={entry} onGo={() => setOpen(false)} />
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
