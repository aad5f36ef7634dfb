import { useIsFetching } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useNavigate, useRouter, useRouterState } from '@tanstack/react-router'
import { ChevronDown, Menu, Monitor, Moon, Sun, UserRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { pages, pagesIn } from '../../shared/pages.ts'
import type { SessionUser } from '../../shared/user.ts'
import { buttonClass, IconButton } from '../components/button.tsx'
import { Logo } from '../components/logo.tsx'
import type { HeaderMenu, MenuEntry } from '../components/menu/menu.ts'
import type { MenuPopupProps } from '../components/menu/menu-popup.tsx'
import { useEditing } from '../data/editing.ts'
import { useConnectionLost } from '../data/live.ts'
import { signOut, useSessionPending, useSessionUser } from '../data/session.ts'
import { useSlow } from '../debounce.ts'
import { lazyWhenIdle } from '../navigation/lazy.ts'
import { useGoBack } from '../navigation/screen.ts'
import { setTheme, themes, useTheme } from '../theme.ts'
import { useToastWaiting } from '../toasts.ts'
import { bellContainerId, requestOpen } from './open-requests.ts'
import css from './shell.module.css'

const useToaster = lazyWhenIdle(async () => (await import('../components/toaster.tsx')).Toaster)

export type MenusFor = (user: SessionUser | null | undefined) => readonly HeaderMenu[]

/** The frame of every screen: header, content and toasts. */
export function Shell({ menusFor }: { menusFor: MenusFor }) {
  const user = useSessionUser()
  const isWaiting = useToastWaiting()
  // Saving a change ends in a toast, which must be shown even if the connection is lost by then.
  const isEditing = useEditing().author !== undefined
  const { Component: Toaster } = useToaster({ needed: isWaiting || isEditing })
  const moving = useRouterState({ select: (state) => state.isLoading })
  const busy = useSlow(useIsFetching() > 0 || moving)
  useFocusRecovery()
  useHeadingFocus()
  useKeysMarked()
  useGoBack()
  // A stream that reconnects immediately isn't worth a message.
  const lost = useSlow(useConnectionLost(), 1_000)
  return (
    <>
      <a className={css.skip} href="#main">
        Skip to content
      </a>
      <button type="button" className={`${css.skip} ${css.skipToRows}`} onClick={focusFirstRow}>
        Skip to the first row
      </button>
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

/** Skips the filters of a list. */
const focusFirstRow = () => document.querySelector<HTMLElement>('[data-wide] tbody a')?.focus()

const parts = 'section, main, [role=dialog]'

function withAncestors(element: Element | null): Element[] {
  return element ? [element, ...withAncestors(element.parentElement)] : []
}

function focusPart(part: HTMLElement) {
  if (!part.hasAttribute('tabindex')) part.tabIndex = -1
  part.focus({ preventScroll: true })
}

/** If the focused element is removed, focuses the part of the page around it, so that Tab doesn't start at the top. */
function useFocusRecovery() {
  useEffect(() => {
    // The focused element and its ancestors, followed by those of earlier ones, such as the opener of a dialog.
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

/** Whether the focus must stay when a new screen is shown: the user is typing, or opened a menu in the meantime. */
const isFocusNeeded = () =>
  document.activeElement?.matches('input, textarea') || document.querySelector('[role=menu][data-open]') !== null

/** Lets screen readers announce each new screen, and removes the page width that the HTML sets for the first one. */
function useHeadingFocus() {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        const main = document.getElementById('main')
        if (fromLocation && pathChanged) document.documentElement.removeAttribute('data-list')
        if (!main || !fromLocation || !pathChanged || isFocusNeeded()) return
        focusPart(main.querySelector('h1') ?? main)
      }),
    [router],
  )
}

/** Marks the page during keyboard use: WebKit draws no focus ring around a radio selected with an arrow key. */
function useKeysMarked() {
  useEffect(() => {
    const markKeys = ({ type }: Event) => document.documentElement.toggleAttribute('data-keys', type === 'keydown')
    addEventListener('keydown', markKeys)
    addEventListener('pointerdown', markKeys)
    return () => {
      removeEventListener('keydown', markKeys)
      removeEventListener('pointerdown', markKeys)
    }
  }, [])
}

const useSheet = lazyWhenIdle(async () => (await import('./sheet.tsx')).Sheet)

function useOwnMenu(user: SessionUser | null | undefined): HeaderMenu | undefined {
  const navigate = useNavigate()
  if (!user) return undefined
  return {
    label: user.name,
    entries: [
      ...pagesIn('own', user),
      { label: 'Keyboard shortcuts', Icon: 'shortcuts', hasSeparator: true, act: () => requestOpen('shortcuts') },
      {
        label: 'Sign out',
        Icon: 'signOut',
        hasSeparator: true,
        act: () => void signOut(() => void navigate({ to: '/' })),
      },
    ],
  }
}

function Header(props: { menus: readonly HeaderMenu[]; user: SessionUser | null | undefined; busy: boolean }) {
  const own = useOwnMenu(props.user)
  const unknown = useSessionPending()
  return (
    <header className="top-bar">
      <div>
        <Link to="/">
          <Logo busy={props.busy} />
          Tool Box
        </Link>
        <nav className={css.wide} aria-label="Main">
          {props.menus.map((menu) =>
            menu.label === undefined ? (
              menu.entries.map((entry) => <BarLink key={entry.label} entry={entry} />)
            ) : (
              <NavMenu key={menu.label} menu={menu} />
            ),
          )}
        </nav>
        <div className={css.end} data-unknown={unknown || undefined}>
          {/* Filled once a user is known to be signed in; its space is reserved so that nothing moves. */}
          <div id={bellContainerId} className={css.place} />
          <ThemeSwitch />
          {own && <OwnMenu menu={own} />}
          {props.user === null && (
            <Link to={pages.signIn.path} className={`${buttonClass({ tone: 'primary' })} ${css.wide}`}>
              Sign in
            </Link>
          )}
          <SheetButton menus={own ? [...props.menus, own] : props.menus} signedOut={props.user === null} />
        </div>
      </div>
    </header>
  )
}

const BarLink = ({ entry }: { entry: MenuEntry }) =>
  'to' in entry && (
    <Link to={entry.to} className={css.button} activeOptions={{ exact: true, includeSearch: false }}>
      {entry.label}
    </Link>
  )

function NavMenu({ menu }: { menu: HeaderMenu }) {
  const path = useLocation({ select: (at) => at.pathname })
  const active = menu.within !== undefined && path.startsWith(menu.within)
  return (
    <MenuButton className={css.button} entries={menu.entries} align="start" active={active}>
      {menu.label}
      <ChevronDown size={15} aria-hidden="true" />
    </MenuButton>
  )
}

function OwnMenu({ menu }: { menu: HeaderMenu }) {
  return (
    <div className={css.wide}>
      <MenuButton className={css.button} entries={menu.entries} align="end">
        <UserRound size={16} aria-hidden="true" />
        <span className={css.name} dir="auto">
          {menu.label}
        </span>
        <ChevronDown size={15} aria-hidden="true" />
      </MenuButton>
    </div>
  )
}

function SheetButton({ menus, signedOut }: { menus: readonly HeaderMenu[]; signedOut: boolean }) {
  const { Component: Sheet, preload, load } = useSheet()
  const [open, setOpen] = useState(false)
  return (
    <div className={css.narrow}>
      <IconButton
        label="Menu"
        aria-haspopup="dialog"
        aria-expanded={open}
        onPointerEnter={preload}
        onClick={() => void load().then(setOpen)}
      >
        <Menu size={20} aria-hidden="true" />
      </IconButton>
      {Sheet && <Sheet open={open} onClose={() => setOpen(false)} menus={menus} signedOut={signedOut} />}
    </div>
  )
}

const faces = { system: ['System', Monitor], light: ['Light', Sun], dark: ['Dark', Moon] } as const

function ThemeSwitch() {
  const chosen = useTheme()
  return (
    <fieldset className={css.switch}>
      <legend className="sr">Theme</legend>
      {themes.map((theme) => {
        const [label, Icon] = faces[theme]
        return (
          <label key={theme} className={css.choice} title={`${label} theme`}>
            <input
              type="radio"
              name="theme"
              value={theme}
              className="sr"
              checked={theme === chosen}
              aria-label={`${label} theme`}
              onChange={() => setTheme(theme)}
            />
            <Icon size={15} aria-hidden="true" />
          </label>
        )
      })}
    </fieldset>
  )
}

const useMenu = lazyWhenIdle(async () => (await import('../components/menu/menu-popup.tsx')).MenuPopup)

/** A button with a dropdown. Until the dropdown's code is loaded, it is a plain button that records a click. */
export function MenuButton(props: Omit<MenuPopupProps, 'clicks' | 'focused'>) {
  const { Component, preload, load } = useMenu()
  const [clicks, setClicks] = useState<number>()
  // A button that is replaced between pointer down and up gets no click.
  const [pressed, setPressed] = useState(false)
  const [focused, setFocused] = useState(false)
  if (Component && !pressed) return <Component {...props} clicks={clicks} focused={focused} />
  return (
    <button
      type="button"
      aria-haspopup="menu"
      aria-expanded="false"
      className={props.className}
      data-active={props.active || undefined}
      onPointerEnter={preload}
      onFocus={() => {
        setFocused(true)
        preload()
      }}
      onBlur={() => setFocused(false)}
      onPointerDown={() => setPressed(true)}
      onClick={async ({ detail }) => {
        setPressed(false)
        setClicks(detail)
        if (!(await load())) setClicks(undefined)
      }}
    >
      {props.children}
    </button>
  )
}
