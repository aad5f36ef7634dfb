import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PageName } from '../../../shared/pages.ts'

/** Icons that only menus show, which are fetched with them. */
export type MenuIcon = PageName | 'home' | 'shortcuts' | 'signOut'
/** The other places a tool leads to; `listLabel` is what its list is called, if not all entries. */
export type Ways = { list: string; listLabel?: string; create?: string }
/** A link or an action in a menu. An icon that nothing else shows goes by its name. */
export type MenuEntry = {
  label: string
  Icon: LucideIcon | MenuIcon
  hint?: string
  /** How it is doing, in place of the hint: an element with `data-hint`, and `data-bad` where that is bad. */
  state?: ReactNode
  ways?: Ways | undefined
  /** Whether a line stands above it, since it is of another kind than those before. */
  apart?: boolean
} & ({ to: string; search?: Readonly<Record<string, string>> } | Act)
/** `checked` makes it a checkbox, which leaves the menu open. */
type Act = { act: () => void; checked?: boolean; isDangerous?: true }
/** A menu of the header, or without a label, links in the header. Its button is highlighted on paths that start with `within`. */
export type MenuOf = { label?: string; within?: string; entries: readonly MenuEntry[] }
