import { useInfiniteQuery } from '@tanstack/react-query'
import { Bell as BellIcon } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { seconds } from '../../../shared/time.ts'
import { lazyWhenIdle } from '../../../ui/navigation/lazy.ts'
import { bellContainerId } from '../../../ui/shell/open-requests.ts'
import css from '../../../ui/shell/shell.module.css'
import { inboxQuery } from './calls.ts'

const usePanel = lazyWhenIdle(async () => (await import('./panel.tsx')).InboxPanel)

export function Bell() {
  const place = document.getElementById(bellContainerId)
  return place && createPortal(<BellButton />, place)
}

/** False for the first second, so that the screen's own requests go first. */
function useHeadStart() {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), seconds(1))
    return () => clearTimeout(timer)
  }, [])
  return isOver
}

function BellButton() {
  const { data } = useInfiniteQuery({ ...inboxQuery, enabled: useHeadStart() })
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
