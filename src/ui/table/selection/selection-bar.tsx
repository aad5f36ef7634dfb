import { type LucideIcon, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { formatCount } from '../../../shared/count.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { reason } from '../../data/api.ts'
import { notifyError } from '../../toasts.ts'
import type { MatchingRows } from '../use-rows.ts'
import type { Selection } from './selection.ts'
import css from './selection-bar.module.css'

export function SelectionBar(props: {
  label: string
  selection: Selection
  source: MatchingRows
  busy: boolean
  /** The number of rows done so far. */
  progress: number
  children: ReactNode
}) {
  const { selection, source, busy } = props
  const [isSelecting, setSelecting] = useState(false)
  const count = selection.ids.size
  const selectAll = async () => {
    setSelecting(true)
    try {
      await selection.addAll(source.allIds)
    } catch (error) {
      notifyError(reason(error))
    }
    setSelecting(false)
  }
  return (
    <section className={css.bar} aria-label={props.label} data-selection-bar>
      <p className={css.count} role="status">
        {busy && count > 100
          ? `${formatCount(props.progress)} of ${formatCount(count)}…`
          : `${formatCount(count)} selected`}
      </p>
      {count < source.found && (
        <Button size="small" disabled={busy || isSelecting} onClick={() => void selectAll()}>
          Select all {formatCount(source.found)}
        </Button>
      )}
      <div className={css.acts}>
        {props.children}
        <IconButton label="Clear selection" onClick={() => selection.replace([])}>
          <X size={16} aria-hidden="true" />
        </IconButton>
      </div>
    </section>
  )
}

export function ActButton({
  Icon,
  danger = false,
  children,
  ...rest
}: {
  Icon: LucideIcon
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
