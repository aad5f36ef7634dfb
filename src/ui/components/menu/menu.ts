import type { LucideIcon } from 'lucide-react'

/** One way to go, or one thing to do, in a menu. */
export type MenuEntry = { label: string; Icon: LucideIcon; hint?: string } & ({ to: string } | { act: () => void })
/** A menu of the header. `within` is the start of the paths under which its button is highlighted. */
export type MenuOf = { label: string; within?: string; entries: readonly MenuEntry[] }
