import { Dialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type RefObject, useSyncExternalStore } from 'react'
import { iconButtonClass } from '../../../ui/components/button.tsx'
import surface from '../../../ui/components/page/surface.module.css'
import { bellPlace } from '../../../ui/shell/signed-in-place.ts'
import css from './inbox.module.css'
import { InboxList } from './list.tsx'

type PanelProps = { open: boolean; bell: RefObject<HTMLButtonElement | null>; onClose: () => void }

const narrow = matchMedia('(max-width: 46rem)')
const useNarrow = () =>
  useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener)
      return () => narrow.removeEventListener('change', listener)
    },
    () => narrow.matches,
  )

/** The inbox: below its bell, and as a sheet where that has no room. */
export const InboxPanel = (props: PanelProps) => (useNarrow() ? <Sheet {...props} /> : <Popup {...props} />)

/** In the header, so that it stays below the bell. */
function Popup({ open, bell, onClose }: PanelProps) {
  return (
    <Dialog.Root
      open={open}
      modal={false}
      onOpenChange={(next, { event }) => {
        // The bell closes it by itself.
        const isBell = event.target instanceof Node && bell.current?.contains(event.target)
        if (!next && !isBell) onClose()
      }}
    >
      <Dialog.Portal container={document.getElementById(bellPlace)}>
        <Dialog.Popup className={`${surface.raised} ${surface.drop} ${css.panel} ${css.popup}`} finalFocus={bell}>
          <InboxList title={<Dialog.Title className={css.title}>Inbox</Dialog.Title>} onGo={onClose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Sheet({ open, bell, onClose }: PanelProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={`${surface.scrim} ${css.scrim}`} />
        <Dialog.Popup className={`${surface.raised} ${surface.dialog} ${css.panel} ${css.sheet}`} finalFocus={bell}>
          <InboxList
            title={<Dialog.Title className={css.title}>Inbox</Dialog.Title>}
            close={
              <Dialog.Close className={iconButtonClass} aria-label="Close inbox">
                <X size={18} aria-hidden="true" />
              </Dialog.Close>
            }
            onGo={onClose}
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
