import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { ChevronDown, Menu, Monitor, Moon, Sun, UserRound } from 'lucide-react'
import { useState } from 'react'
import type { SessionUser } from '../../shared/user.ts'
import { buttonClass, IconButton } from '../components/button.tsx'
import type { MenuOf } from '../components/menu/menu.ts'
import { MenuButton } from '../components/menu/menu-button.tsx'
import { Logo } from '../components/page/logo.tsx'
import { signOut, useSessionPending } from '../data/session.ts'
import { lazyWhenIdle } from '../navigation/lazy.ts'
import { setTheme, type Theme, themes, useTheme } from '../theme.ts'
import bell from './bell.module.css'
import css from './header.module.css'
import { bellPlace } from './signed-in-place.ts'
import themeCss from './theme-switch.module.css'

const useSheet = lazyWhenIdle(async () => (await import('./sheet.tsx')).Sheet)

/** The user's own menu. */
function useOwnMenu(user: SessionUser | null | undefined): MenuOf | undefined {
  const navigate = useNavigate()
  if (!user) return undefined
  return {
    label: user.name,
    entries: [
      { label: 'User Profile', Icon: 'profile', to: '/user' },
      { label: 'Sign out', Icon: 'signOut', act: () => void signOut(() => void navigate({ to: '/' })) },
    ],
  }
}

export function Header(props: { menus: readonly MenuOf[]; user: SessionUser | null | undefined; busy: boolean }) {
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
          {props.menus.map((menu) => (
            <NavMenu key={menu.label} menu={menu} />
          ))}
        </nav>
        <div className={css.end} data-unknown={unknown || undefined}>
          {/* Filled once it is known that somebody is signed in; until then nothing may move either. */}
          <div id={bellPlace} className={bell.place} />
          <ThemeSwitch />
          {own && <OwnMenu menu={own} />}
          {props.user === null && (
            <Link to="/auth/signin/{-$user}" className={`${buttonClass({ tone: 'primary' })} ${css.wide}`}>
              Sign in
            </Link>
          )}
          <SheetButton menus={own ? [...props.menus, own] : props.menus} signedOut={props.user === null} />
        </div>
      </div>
    </header>
  )
}

function NavMenu({ menu }: { menu: MenuOf }) {
  const path = useLocation({ select: (at) => at.pathname })
  const active = menu.within !== undefined && path.startsWith(menu.within)
  return (
    <MenuButton className={css.button} entries={menu.entries} align="start" active={active}>
      {menu.label}
      <ChevronDown size={15} aria-hidden="true" />
    </MenuButton>
  )
}

function OwnMenu({ menu }: { menu: MenuOf }) {
  return (
    <div className={css.wide}>
      <MenuButton className={css.button} entries={menu.entries} align="end" active={false}>
        <UserRound size={16} aria-hidden="true" />
        <span className={css.name} dir="auto">
          {menu.label}
        </span>
        <ChevronDown size={15} aria-hidden="true" />
      </MenuButton>
    </div>
  )
}

/** On phones, all menus are behind one button. */
function SheetButton({ menus, signedOut }: { menus: readonly MenuOf[]; signedOut: boolean }) {
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

/** Chooses between the system's theme, light and dark. */
function ThemeSwitch() {
  const chosen = useTheme()
  return (
    <fieldset className={themeCss.switch}>
      <legend className="sr">Theme</legend>
      {themes.map((theme) => (
        <Choice key={theme} theme={theme} checked={theme === chosen} />
      ))}
    </fieldset>
  )
}

function Choice({ theme, checked }: { theme: Theme; checked: boolean }) {
  const [label, Icon] = faces[theme]
  return (
    <label className={themeCss.choice} title={`${label} theme`}>
      <input
        type="radio"
        name="theme"
        value={theme}
        className="sr"
        checked={checked}
        aria-label={`${label} theme`}
        onChange={() => setTheme(theme)}
      />
      <Icon size={15} aria-hidden="true" />
    </label>
  )
}
