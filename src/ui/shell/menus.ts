import type { SessionUser } from '../../shared/user.ts'
import type { MenuOf } from '../components/menu/menu.ts'

/** The menus of the header, by who is looking. */
export type MenusFor = (user: SessionUser | null | undefined) => readonly MenuOf[]
