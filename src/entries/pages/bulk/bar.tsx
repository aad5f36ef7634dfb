import { CirclePause, CirclePlay, Play, Trash2, UserRoundPen } from 'lucide-react'
import { useState } from 'react'
import { can } from '../../../shared/user.ts'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import { useSessionUser } from '../../../ui/data/session.ts'
import type { Selection } from '../../../ui/table/selection/selection.ts'
import { ActButton, SelectionBar } from '../../../ui/table/selection/selection-bar.tsx'
import type { PageNames } from '../tool-pages.ts'
import { type Asked, useActOnMany } from './calls.ts'
import { DeleteMany } from './delete-many.tsx'
import { GiveAway } from './give-away.tsx'

/** What can be done with the selected entries, in place of the pages. */
export function BulkBar(props: {
  tool: PageNames
  selection: Selection
  /** How many rows match the searches. */
  total: number
  /** Their ids. */
  allIds: () => Promise<readonly string[]>
}) {
  const { tool, selection } = props
  const ids = [...selection.ids]
  const mayGive = can(useSessionUser(), 'Tools', 2)
  const runs = useDefaultInterval(tool.id) !== undefined
  const [asking, setAsking] = useState<'delete' | 'give'>()
  const [progress, setProgress] = useState(0)
  const close = () => setAsking(undefined)
  const many = useActOnMany(tool, setProgress, ({ done }) => {
    close()
    // What was refused stays selected, to be tried again, and so does what was selected meanwhile.
    selection.toggle(done, false)
  })
  const start = (asked: Omit<Asked, 'ids'>, options: { onError?: (error: unknown) => void } = {}) => {
    setProgress(0)
    many.mutate({ ...asked, ids }, options)
  }
  const busy = many.isPending
  return (
    <>
      <SelectionBar label="Selected entries" {...props} busy={busy} progress={progress}>
        <ActButton Icon={CirclePlay} disabled={busy} onClick={() => start({ act: 'activate' })}>
          Activate
        </ActButton>
        <ActButton Icon={CirclePause} disabled={busy} onClick={() => start({ act: 'pause' })}>
          Pause
        </ActButton>
        {runs && (
          <ActButton Icon={Play} disabled={busy} onClick={() => start({ act: 'run' })}>
            Run now
          </ActButton>
        )}
        {mayGive && (
          <ActButton Icon={UserRoundPen} disabled={busy} onClick={() => setAsking('give')}>
            Give to…
          </ActButton>
        )}
        <ActButton Icon={Trash2} danger disabled={busy} onClick={() => setAsking('delete')}>
          Delete…
        </ActButton>
      </SelectionBar>
      <DeleteMany
        open={asking === 'delete'}
        count={ids.length}
        noun={tool.noun}
        busy={busy}
        onClose={close}
        onDelete={() => start({ act: 'delete' })}
      />
      <GiveAway
        open={asking === 'give'}
        count={ids.length}
        busy={busy}
        onClose={close}
        onGive={(owner, onError) => start({ act: 'give', owner }, { onError })}
      />
    </>
  )
}
