import { CirclePause, CirclePlay, Play, Trash2, UserRoundPen, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { formatCount } from '../../../shared/count.ts'
import { can } from '../../../shared/user.ts'
import { Button, IconButton } from '../../../ui/components/button.tsx'
import { reason } from '../../../ui/data/api.ts'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import { useSessionUser } from '../../../ui/data/session.ts'
import type { Selection } from '../../../ui/table/selection/selection.ts'
import { complain } from '../../../ui/toasts.ts'
import type { PageNames } from '../tool-pages.ts'
import css from './bar.module.css'
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
  const { tool, selection, total } = props
  const ids = [...selection.ids]
  const mayGive = can(useSessionUser(), 'Tools', 2)
  const runs = useDefaultInterval(tool.id) !== undefined
  const [asking, setAsking] = useState<'delete' | 'give'>()
  const [progress, setProgress] = useState(0)
  const [isSelecting, setSelecting] = useState(false)
  const many = useActOnMany(tool, setProgress)
  const close = () => setAsking(undefined)
  const start = (asked: Omit<Asked, 'ids'>, options: { onError?: (error: unknown) => void } = {}) => {
    setProgress(0)
    many.mutate(
      { ...asked, ids },
      {
        ...options,
        onSuccess: ({ refused }) => {
          close()
          // What was refused stays selected, to be tried again.
          selection.replace(refused.map(({ id }) => id))
        },
      },
    )
  }
  const selectAll = async () => {
    setSelecting(true)
    try {
      selection.replace(await props.allIds())
    } catch (error) {
      complain(reason(error))
    }
    setSelecting(false)
  }
  const busy = many.isPending
  return (
    <section className={css.bar} aria-label="Selected entries">
      <p className={css.count} role="status">
        {busy && ids.length > 100
          ? `${formatCount(progress)} of ${formatCount(ids.length)}…`
          : `${formatCount(ids.length)} selected`}
      </p>
      {ids.length < total && (
        <Button size="small" disabled={busy || isSelecting} onClick={() => void selectAll()}>
          Select all {formatCount(total)}
        </Button>
      )}
      <div className={css.acts}>
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
        <IconButton label="Clear selection" onClick={() => selection.replace([])}>
          <X size={16} aria-hidden="true" />
        </IconButton>
      </div>
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
    </section>
  )
}

function ActButton({
  Icon,
  danger = false,
  children,
  ...rest
}: {
  Icon: typeof Play
  danger?: boolean
  disabled: boolean
  onClick: () => void
  children: ReactNode
}) {
  return (
    <span className={css.act}>
      <Button size="small" {...(danger && { tone: 'danger' as const })} {...rest}>
        <Icon size={14} aria-hidden="true" />
        {children}
      </Button>
    </span>
  )
}
