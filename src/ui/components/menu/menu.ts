import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PageName } from '../../../shared/pages.ts'

/** Icons used only in menus, whose code is loaded with the menus. */
export type MenuIcon = PageName | 'home' | 'shortcuts' | 'signOut'
/** A tool's quick links; `listLabel` replaces the default label of its list. */
export type QuickLinks = { list: string; listLabel?: string; create?: string }
/** A link or an action in a menu. An icon used only in menus is given by name. */
export type MenuEntry = {
  label: string
  Icon: LucideIcon | MenuIcon
  hint?: string
  /** Its status, in place of the hint: an element with `data-hint`, and `data-bad` if something is wrong. */
  state?: ReactNode
  ways?: QuickLinks | undefined
  /** Whether a separator precedes it, because it differs in kind from the previous entries. */
  hasSeparator?: boolean
} & ({ to: string; search?: Readonly<Record<string, string>> } | Act)
/** `checked` makes it a checkbox, which keeps the menu open. */
type Act = { act: () => void; checked?: boolean; isDangerous?: true }
/** A header menu, or plain header links without a label. Its button is highlighted on paths starting with `within`. */
export type HeaderMenu = { label?: string; within?: string; entries: readonly MenuEntry[] }
