import { useEffect, useRef } from 'react'
import css from './select-box.module.css'

/** A checkbox for one row, or for all of the page; `some` stands between checked and not. */
export function SelectBox(props: {
  label: string
  /** Beside it on phones, where no column tells what it is for. */
  words?: string
  checked: boolean
  some?: boolean
  disabled?: boolean
  /** `range`: also those between this one and the one before, as with Shift. */
  onChange: (on: boolean, range: boolean) => void
}) {
  const box = useRef<HTMLInputElement>(null)
  const isShift = useRef(false)
  const { some = false } = props
  useEffect(() => {
    if (box.current) box.current.indeterminate = some
  }, [some])
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
