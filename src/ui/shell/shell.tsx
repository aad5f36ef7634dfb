import { useIsFetching } from '@tanstack/react-query'
import { Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { SessionUser } from '../../shared/user.ts'
import type { MenuOf } from '../components/menu/menu.ts'
import { useEditing } from '../data/editing.ts'
import { useConnectionLost } from '../data/live.ts'
import { useSessionUser } from '../data/session.ts'
import { useSlow } from '../debounce.ts'
import { lazyWhenIdle } from '../navigation/lazy.ts'
import { useWayBack } from '../navigation/screen.ts'
import { useToastWaiting } from '../toasts.ts'
import { Header } from './header.tsx'
import css from './shell.module.css'

const useToaster = lazyWhenIdle(async () => (await import('../components/toast/toaster.tsx')).Toaster)

/** The menus of the header, depending on who is signed in. */
export type MenusFor = (user: SessionUser | null | undefined) => readonly MenuOf[]

/** The frame of every screen: header, content and toasts. */
export function Shell({ menusFor }: { menusFor: MenusFor }) {
  const user = useSessionUser()
  const isWaiting = useToastWaiting()
  // A change will be saved, which ends in a toast even if the connection is gone by then.
  const isEditing = useEditing().author !== undefined
  const { Component: Toaster } = useToaster({ needed: isWaiting || isEditing })
  const moving = useRouterState({ select: (state) => state.isLoading })
  const busy = useSlow(useIsFetching() > 0 || moving)
  useKeptFocus()
  useWayBack()
  // A stream that reconnects at once isn't worth a message.
  const lost = useSlow(useConnectionLost(), 1_000)
  return (
    <>
      <a className={css.skip} href="#main">
        Skip to content
      </a>
      <Header menus={menusFor(user)} user={user} busy={busy} />
      <p className={css.lost} role="status">
        {lost && 'Connection lost. Trying again…'}
      </p>
      <main id="main" className={css.main} tabIndex={-1}>
        <Outlet />
      </main>
      {Toaster && <Toaster />}
    </>
  )
}

const parts = 'section, main, [role=dialog]'

function withAncestors(element: Element | null): Element[] {
  return element ? [element, ...withAncestors(element.parentElement)] : []
}

function focusPart(part: HTMLElement) {
  if (!part.hasAttribute('tabindex')) part.tabIndex = -1
  part.focus({ preventScroll: true })
}

/** If the focused element is removed, focuses the part of the page around it, so that the focus doesn't start at the top again. */
function useKeptFocus() {
  useEffect(() => {
    // The focused element and its ancestors, followed by those of the one before, such as a dialog's opener.
    let around: readonly Element[] = []
    const remember = ({ target }: FocusEvent) => {
      const before = around.filter((one) => one.isConnected)
      if (target instanceof Element) around = [...new Set([...withAncestors(target), ...before])]
    }
    const keep = () => {
      const [last] = around
      if (!last || last.isConnected || document.activeElement !== document.body) return
      const part = around.find((one) => one.isConnected && one.matches(parts)) ?? document.getElementById('main')
      if (part instanceof HTMLElement) focusPart(part)
    }
    const changes = new MutationObserver(keep)
    changes.observe(document.body, { childList: true, subtree: true })
    addEventListener('focusin', remember)
    return () => {
      changes.disconnect()
      removeEventListener('focusin', remember)
    }
  }, [])
}
