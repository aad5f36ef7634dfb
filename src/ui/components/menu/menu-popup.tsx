import { Menu } from '@base-ui/react/menu'
import { Link } from '@tanstack/react-router'
import { type FocusEvent, Fragment, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { iconButtonClass } from '../button.tsx'
import surface from '../surface.module.css'
import type { MenuEntry, QuickLinks } from './menu.ts'
import { EntryFace, quickLinksOf } from './menu-icons.tsx'
import css from './popup.module.css'

function Entry({ entry, onGo }: { entry: MenuEntry; onGo: () => void }) {
  const face = { className: `${surface.option} ${css.item}`, 'data-plain': !entry.hint || undefined }
  if ('act' in entry && entry.checked !== undefined)
    return (
      <Menu.CheckboxItem {...face} checked={entry.checked} onCheckedChange={entry.act}>
        <EntryFace entry={entry} hint={entry.hint} />
      </Menu.CheckboxItem>
    )
  if ('act' in entry)
    return (
      <Menu.Item {...face} data-danger={entry.isDangerous} onClick={entry.act}>
        <EntryFace entry={entry} hint={entry.hint} />
      </Menu.Item>
    )
  return (
    <WithQuickLinks ways={entry.ways} onGo={onGo}>
      <Menu.LinkItem
        {...face}
        closeOnClick
        render={
          <Link
            to={entry.to}
            {...(entry.search && { search: entry.search })}
            activeOptions={{ exact: true, includeSearch: false }}
          />
        }
      >
        <EntryFace entry={entry} hint={entry.hint} />
      </Menu.LinkItem>
    </WithQuickLinks>
  )
}

export type MenuPopupProps = {
  entries: readonly MenuEntry[]
  className: string | undefined
  label?: string
  children: ReactNode
  align: 'start' | 'end'
  /** The `detail` of a click on the plain button before this menu was loaded: 0 if it came from the keyboard. */
  clicks: number | undefined
  /** Whether the plain button had the focus. */
  focused: boolean
  active?: boolean
}

export function MenuPopup({ clicks, label, ...props }: MenuPopupProps) {
  const [open, setOpen] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  // Replays the click, so that the menu handles it, such as by focusing the first item after a key press.
  useEffect(() => {
    if (clicks === undefined) return
    trigger.current?.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: clicks }))
  }, [clicks])
  // If the screen that an item opened has already focused its heading, the focus stays there.
  const finalFocus = () => !document.activeElement?.closest('main') && trigger.current
  return (
    <Menu.Root open={open} onOpenChange={setOpen}>
      <Menu.Trigger
        ref={trigger}
        className={props.className}
        data-active={props.active || undefined}
        autoFocus={props.focused}
        aria-label={label}
        title={label}
      >
        {props.children}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className={css.positioner} sideOffset={4} align={props.align} collisionPadding={8}>
          <Menu.Popup className={`${surface.raised} ${surface.drop} ${css.popup}`} finalFocus={finalFocus}>
            {props.entries.map((entry) => (
              <Fragment key={entry.label}>
                {entry.hasSeparator && <Menu.Separator className={css.line} />}
                <Entry entry={entry} onGo={() => setOpen(false)} />
              </Fragment>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

/** A menu item and its quick links, reached by Left and Right. Screen readers find them while it is active. */
function WithQuickLinks({
  ways,
  onGo,
  children,
}: {
  ways: QuickLinks | undefined
  onGo: () => void
  children: ReactNode
}) {
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
  const isFound = isPointed || isFocused
  const onBlur = ({ relatedTarget }: FocusEvent) => setFocused(row.current?.contains(relatedTarget) ?? false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it handles the keys of the items in it
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
      <span className={css.ways} aria-hidden={isFound ? undefined : true}>
        {quickLinksOf(ways).map(({ to, label, Icon }) => (
          <Link
            key={to}
            to={to}
            role={isFound ? 'menuitem' : undefined}
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
    </div>
  )
}
