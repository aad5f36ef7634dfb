import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import css from './fold.module.css'

/** A collapsed section. It opens if a field in it is wrong, and stays open once the user has focused it. */
export function Fold(props: {
  title: string
  summary: ReactNode
  /** Whether it starts open. */
  isOpen?: boolean
  isWrong?: boolean
  children: ReactNode
}) {
  const { title, summary, isOpen = false, isWrong = false, children } = props
  const id = useId()
  const [unfolded, setUnfolded] = useState(isOpen)
  const open = unfolded || isWrong
  return (
    <div className={css.fold}>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setUnfolded(!unfolded)}
      >
        <ChevronRight size={15} aria-hidden="true" />
        {title}
      </button>
      {open ? (
        // biome-ignore lint/a11y/noStaticElementInteractions: it only observes the focus
        <div id={id} className={css.parts} onFocus={() => setUnfolded(true)}>
          {children}
        </div>
      ) : (
        <small>{summary}</small>
      )}
    </div>
  )
}
