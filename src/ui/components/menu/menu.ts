import type { LucideIcon } from 'lucide-react'

/** A link or an action in a menu. */
export type MenuEntry = { label: string; Icon: LucideIcon; hint?: string } & ({ to: string } | { act: () => void })
/** A menu of the header. Its button is highlighted on paths that start with `within`. */
export type MenuOf = { label: string; within?: string; entries: readonly MenuEntry[] }
