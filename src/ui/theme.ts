import { useSyncExternalStore } from 'react'
import { store, stored } from './stored.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'theme'
const systemDark = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

const isTheme = (value: string | null): value is Theme => themes.some((theme) => theme === value)

function read(): Theme {
  const value = stored(key)
  return isTheme(value) ? value : 'system'
}
let current = read()

function paint() {
  const dark = current === 'dark' || (current === 'system' && systemDark.matches)
  document.documentElement.classList.toggle('dark', dark)
  for (const listener of listeners) listener()
}

export function setTheme(theme: Theme) {
  current = theme
  store(key, theme)
  paint()
}

function refresh() {
  current = read()
  paint()
}

/** Follows the operating system and this browser's other tabs from now on. */
export function watchTheme() {
  if (!isTheme(stored(key))) store(key, current)
  paint()
  systemDark.addEventListener('change', paint)
  addEventListener('storage', (event) => event.key === key && refresh())
}

export const useTheme = (): Theme =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
