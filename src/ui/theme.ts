import { readStorage, writeStorage } from './browser-storage.ts'
import { externalState } from './external-state.ts'

export const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const key = 'theme'
const systemDark = matchMedia('(prefers-color-scheme: dark)')

const isTheme = (value: string | null): value is Theme => themes.some((theme) => theme === value)

function read(): Theme {
  const value = readStorage(key)
  return isTheme(value) ? value : 'system'
}
const chosen = externalState(read())

function paint() {
  const theme = chosen.get()
  document.documentElement.classList.toggle('dark', theme === 'dark' || (theme === 'system' && systemDark.matches))
}

export function setTheme(theme: Theme) {
  chosen.set(theme)
  writeStorage(key, theme)
  paint()
}

function refresh() {
  chosen.set(read())
  paint()
}

/** Keeps the theme in sync with the operating system and this browser's other tabs from now on. */
export function watchTheme() {
  if (!isTheme(readStorage(key))) writeStorage(key, chosen.get())
  paint()
  systemDark.addEventListener('change', paint)
  addEventListener('storage', (event) => event.key === key && refresh())
}

export const useTheme = chosen.use
