import { useInfiniteQuery } from '@tanstack/react-query'
import { Bell as BellIcon } from 'lucide-react'
import { useRef, useState } from 'react'
import { useSessionUser } from '../../../ui/data/session.ts'
import { later } from '../../../ui/navigation/idle.ts'
import css from './bell.module.css'
import { inboxQuery } from './calls.ts'

const usePanel = later(async () => (await import('./panel.tsx')).InboxPanel)

/** The button that opens the inbox, with the number of unread items. */
export function Bell() {
  const user = useSessionUser()
  // Whoever must set up a second factor first would be refused.
  return user && !user.mustSetUp ? <BellButton key={user.id} /> : null
}

function BellButton() {
  const { data } = useInfiniteQuery(inboxQuery)
  const { Component: Panel, preload, load } = usePanel()
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const unread = data?.unread ?? 0
  return (
    <>
      <button
        ref={button}
        type="button"
        className={css.bell}
        aria-label={unread === 0 ? 'Inbox' : `Inbox, ${unread} unread`}
        title="Inbox"
        aria-haspopup="dialog"
        aria-expanded={open}
        onPointerEnter={preload}
        onFocus={preload}
        onClick={() => (open ? setOpen(false) : void load().then(setOpen))}
      >
        <BellIcon size={17} aria-hidden="true" />
        {unread > 0 && <span className={css.count}>{unread > 99 ? '99+' : unread}</span>}
      </button>
      {Panel && <Panel open={open} bell={button} onClose={() => setOpen(false)} />}
    </>
  )
}
