import { Activity, House, LogOut, type LucideIcon, UserPen, UserRound, Users } from 'lucide-react'
import type { MenuEntry, MenuIcon } from './menu.ts'

const icons: Record<MenuIcon, LucideIcon> = {
  home: House,
  users: Users,
  editUser: UserPen,
  health: Activity,
  profile: UserRound,
  signOut: LogOut,
}

export function EntryIcon({ entry }: { entry: MenuEntry }) {
  const Icon = typeof entry.Icon === 'string' ? icons[entry.Icon] : entry.Icon
  return <Icon size={16} />
}
