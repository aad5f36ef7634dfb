import { Monitor, Moon, Sun } from 'lucide-react'
import { setTheme, type Theme, themes, useTheme } from '../theme.ts'
import css from './theme-switch.module.css'

const faces = { system: ['System', Monitor], light: ['Light', Sun], dark: ['Dark', Moon] } as const

/** Chooses between the system's theme, light and dark. */
export function ThemeSwitch() {
  const chosen = useTheme()
  return (
    <fieldset className={css.switch}>
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
    <label className={css.choice} title={`${label} theme`}>
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
