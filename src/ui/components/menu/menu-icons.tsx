import {
  Archive,
  BellRing,
  Database,
  Globe,
  HeartPulse,
  House,
  Keyboard,
  KeyRound,
  LogOut,
  type LucideIcon,
  Mail,
  Megaphone,
  ScrollText,
  Shield,
  UserPen,
  UserRound,
  Users,
} from 'lucide-react'
import type { MenuEntry, MenuIcon } from './menu.ts'

const icons: { [Icon in MenuIcon]?: LucideIcon } = {
  home: House,
  status: Globe,
  channels: BellRing,
  users: Users,
  editUser: UserPen,
  invites: Mail,
  health: HeartPulse,
  audit: ScrollText,
  announcements: Megaphone,
  backups: Archive,
  profile: UserRound,
  security: Shield,
  keys: KeyRound,
  data: Database,
  shortcuts: Keyboard,
  signOut: LogOut,
}

export function EntryIcon({ entry }: { entry: Pick<MenuEntry, 'Icon'> }) {
  const Icon = typeof entry.Icon === 'string' ? icons[entry.Icon] : entry.Icon
  return Icon && <Icon size={16} />
}
