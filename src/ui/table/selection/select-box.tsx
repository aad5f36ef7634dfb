import { useEffect, useRef } from 'react'
import css from './select-box.module.css'

/** A checkbox for one row, or for all rows of the page; with only some of them selected, it is `indeterminate`. */
export function SelectBox(props: {
  label: string
  /** A visible label for phones, where no column shows what the checkbox is for. */
  words?: string
  checked: boolean
  indeterminate?: boolean
  disabled?: boolean
  /** With `range` (Shift), the rows between this one and the last one are included. */
  onChange: (on: boolean, range: boolean) => void
}) {
  const box = useRef<HTMLInputElement>(null)
  const isShift = useRef(false)
  const { indeterminate = false } = props
  useEffect(() => {
    if (box.current) box.current.indeterminate = indeterminate
  }, [indeterminate])
  return (
    <label className={css.hit}>
      <input
        ref={box}
        type="checkbox"
        className={css.box}
        aria-label={props.label}
        checked={props.checked}
        disabled={props.disabled}
        onClick={(event) => {
          isShift.current = event.shiftKey
        }}
        onChange={(event) => props.onChange(event.target.checked, isShift.current)}
      />
      {props.words && <span aria-hidden="true">{props.words}</span>}
    </label>
  )
}
