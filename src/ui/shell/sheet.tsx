import { Dialog } from '@base-ui/react/dialog'
import { Link } from '@tanstack/react-router'
import { LogIn, Search, X } from 'lucide-react'
import { pages } from '../../shared/pages.ts'
import { iconButtonClass } from '../components/button.tsx'
import type { HeaderMenu, MenuEntry, QuickLinks } from '../components/menu/menu.ts'
import { EntryFace, quickLinksOf } from '../components/menu/menu-icons.tsx'
import popup from '../components/menu/popup.module.css'
import surface from '../components/surface.module.css'
import { requestOpen } from './open-requests.ts'
import css from './sheet.module.css'

const signIn: MenuEntry = { label: 'Sign in', Icon: LogIn, to: pages.signIn.path }

type SheetProps = { open: boolean; onClose: () => void; menus: readonly HeaderMenu[]; signedOut: boolean }

/** The navigation on phones: all menus, one below the other. */
export function Sheet({ open, onClose, menus, signedOut }: SheetProps) {
  const search = () => {
    onClose()
    requestOpen('search')
  }
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
            {!signedOut && (
              <button type="button" className={`${surface.option} ${popup.item}`} onClick={search}>
                <EntryFace entry={{ label: 'Find anything', Icon: Search, act: search }} />
              </button>
            )}
            {menus.map((menu) => (
              <Group key={menu.label ?? ''} label={menu.label} entries={menu.entries} onGo={onClose} />
            ))}
            {signedOut && <Group label="You" entries={[signIn]} onGo={onClose} />}
          </nav>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

type GroupProps = { label: string | undefined; entries: readonly MenuEntry[]; onGo: () => void }

function Group({ label, entries, onGo }: GroupProps) {
  return (
    <>
      {label && <p className={popup.heading}>{label}</p>}
      {/* Single-line links are laid out side by side. */}
      <ul className={entries.some(({ hint }) => hint) ? undefined : css.pair}>
        {entries.map((entry) => (
          <li key={entry.label}>
            <Row entry={entry} onGo={onGo} />
            {entry.ways && <RowQuickLinks ways={entry.ways} label={entry.label} onGo={onGo} />}
          </li>
        ))}
      </ul>
    </>
  )
}

function RowQuickLinks({ ways, label, onGo }: { ways: QuickLinks; label: string; onGo: () => void }) {
  return (
    <span className={css.ways}>
      {quickLinksOf(ways).map((link) => (
        <Link
          key={link.to}
          to={link.to}
          className={iconButtonClass}
          aria-label={link.label}
          aria-description={label}
          onClick={onGo}
        >
          <link.Icon size={18} aria-hidden="true" />
        </Link>
      ))}
    </span>
  )
}

function Row({ entry, onGo }: { entry: MenuEntry; onGo: () => void }) {
  if ('to' in entry)
    return (
      <Link
        to={entry.to}
        className={`${surface.option} ${popup.item}`}
        data-plain={!entry.hint || undefined}
        activeOptions={{ exact: true, includeSearch: false }}
        onClick={onGo}
      >
        <EntryFace entry={entry} />
      </Link>
    )
  const act = () => {
    onGo()
    entry.act()
  }
  return (
    <button type="button" className={`${surface.option} ${popup.item}`} data-plain onClick={act}>
      <EntryFace entry={entry} />
    </button>
  )
}
