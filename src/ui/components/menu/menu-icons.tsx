import {
  Archive,
  BellRing,
  Database,
  Globe,
  HeartPulse,
  House,
  Keyboard,
  KeyRound,
  List,
  LogOut,
  type LucideIcon,
  Mail,
  Megaphone,
  Plus,
  ScrollText,
  Shield,
  UserPen,
  UserRound,
  Users,
} from 'lucide-react'
import { Suspense } from 'react'
import type { MenuEntry, MenuIcon, QuickLinks } from './menu.ts'

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

/** The content of a menu item; with `hint`, it has a second line. */
export const EntryFace = ({ entry, hint }: { entry: MenuEntry; hint?: string | undefined }) => (
  <>
    <span aria-hidden="true">
      <EntryIcon entry={entry} />
    </span>
    {/* The style sheet shows the hint, so that the item's accessible name is only its label. */}
    <span data-hint={entry.state ? undefined : hint}>
      <b>{entry.label}</b>
      {entry.state && <Suspense fallback={<span data-hint={hint ?? '\u00a0'} />}>{entry.state}</Suspense>}
    </span>
  </>
)

export const quickLinksOf = ({ list, listLabel = 'All entries', create }: QuickLinks) => [
  { to: list, label: listLabel, Icon: List },
  ...(create ? [{ to: create, label: 'New entry', Icon: Plus }] : []),
]
