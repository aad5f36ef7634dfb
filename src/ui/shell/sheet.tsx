import { Dialog } from '@base-ui/react/dialog'
import { Link } from '@tanstack/react-router'
import { LogIn, X } from 'lucide-react'
import { iconButtonClass } from '../components/button.tsx'
import type { MenuEntry, MenuOf } from '../components/menu/menu.ts'
import { EntryIcon } from '../components/menu/menu-icons.tsx'
import popup from '../components/menu/popup.module.css'
import surface from '../components/surface.module.css'
import css from './sheet.module.css'

const signIn: MenuEntry = { label: 'Sign in', Icon: LogIn, to: '/auth/signin/{-$user}' }

type SheetProps = { open: boolean; onClose: () => void; menus: readonly MenuOf[]; signedOut: boolean }

/** The navigation on phones: all menus, one below the other. */
export function Sheet({ open, onClose, menus, signedOut }: SheetProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={`${surface.scrim} ${css.scrim}`} />
        <Dialog.Popup className={`${surface.raised} ${surface.dialog} ${css.sheet}`}>
          <Dialog.Title className="sr">Menu</Dialog.Title>
          <Dialog.Close className={`${iconButtonClass} ${css.close}`} aria-label="Close menu">
            <X size={18} aria-hidden="true" />
          </Dialog.Close>
          <nav aria-label="Main">
            {menus.map((menu) => (
              <Group key={menu.label} label={menu.label} entries={menu.entries} onGo={onClose} />
            ))}
            {signedOut && <Group label="You" entries={[signIn]} onGo={onClose} />}
          </nav>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Group({ label, entries, onGo }: { label: string; entries: readonly MenuEntry[]; onGo: () => void }) {
  return (
    <>
      <p className={popup.heading}>{label}</p>
      <ul>
        {entries.map((entry) => (
          <li key={entry.label}>
            <Row entry={entry} onGo={onGo} />
          </li>
        ))}
      </ul>
    </>
  )
}

function Row({ entry, onGo }: { entry: MenuEntry; onGo: () => void }) {
  const face = (
    <>
      <span aria-hidden="true">
        <EntryIcon entry={entry} />
      </span>
      <span>
        <b>{entry.label}</b>
      </span>
    </>
  )
  if ('to' in entry)
    return (
      <Link
        to={entry.to}
        className={`${surface.option} ${popup.item}`}
        activeOptions={{ exact: true, includeSearch: false }}
        onClick={onGo}
      >
        {face}
      </Link>
    )
  const act = () => {
    onGo()
    entry.act()
  }
  return (
    <button type="button" className={`${surface.option} ${popup.item}`} onClick={act}>
      {face}
    </button>
  )
}
