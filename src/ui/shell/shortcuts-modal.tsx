import { Button } from '../components/button.tsx'
import { Modal, ModalActions } from '../components/modal/modal.tsx'
import { areShortcutsOn } from './open-requests.ts'
import css from './shortcuts.module.css'
import type { ListedTool } from './shortcuts.tsx'

type Line = readonly [does: string, ...keys: string[]]

const anywhere: readonly Line[] = [
  ['Find anything', '/'],
  ['Show shortcuts', '?'],
  ['Home', 'g', 'h'],
]
const inList: readonly Line[] = [
  ['Next, previous row', 'j', 'k'],
  ['Select row', 'x'],
  ['Open', 'Enter'],
  ['Edit', 'e'],
  ['Clear selection', 'Esc'],
]
const onEntry: readonly Line[] = [
  ['Overview, Settings, Share', '1', '2', '3'],
  ['Save', 'Ctrl', 'S'],
]

const areOff = 'Single-key shortcuts are off. You can turn them on in your profile, under Preferences.'

export function ShortcutsModal(props: { open: boolean; tools: readonly ListedTool[]; onClose: () => void }) {
  const { open, tools, onClose } = props
  const lists = tools.flatMap(({ label, letter }): Line[] => (letter ? [[`${label} list`, 'g', letter]] : []))
  const groups: Record<string, readonly Line[]> = {
    Anywhere: [...anywhere, ...(tools.length > 0 ? ([['Create entry', 'n']] as const) : []), ...lists],
    ...(tools.length > 0 && { 'In a list': inList, 'On an entry': onEntry }),
  }
  return (
    <Modal open={open} wide title="Keyboard shortcuts" description={!areShortcutsOn() && areOff} onClose={onClose}>
      <div className={css.groups}>
        {Object.entries(groups).map(([title, lines]) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <dl>
              {lines.map(([does, ...keys]) => (
                <div key={does}>
                  <dt>{does}</dt>
                  <dd>
                    {keys.map((name) => (
                      <kbd key={name}>{name}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <ModalActions>
        <Button tone="primary" onClick={onClose}>
          Done
        </Button>
      </ModalActions>
    </Modal>
  )
}
