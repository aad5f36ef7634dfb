import { type RefObject, useLayoutEffect, useRef } from 'react'

/** Input in a form that has created a record, on top of the values sent, until the record's own form takes it over. */
type PendingInput = { id: string; values: object; base: object; changed: boolean; isSaveWanted: boolean }
let pendingInput: PendingInput | undefined
/** The label of the field that had the focus, and its selection; null in fields without selection offsets. */
let focused: { label: string; start: number | null; end: number | null } | undefined

export const storePendingInput = (typed: PendingInput): void => {
  pendingInput = typed
}
export const pendingInputFor = (id: string | undefined): PendingInput | undefined =>
  pendingInput?.id === id ? pendingInput : undefined
export const forgetPendingInput = (id: string | undefined): void => {
  if (pendingInput?.id === id) pendingInput = undefined
}

const labelOf = ({ labels }: HTMLInputElement) => labels?.[0]?.textContent ?? ''

/** Moves the focus from a field of a new record's form to the same field of the record's own form. */
export function useHandedFocus(): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => {
    const elements = form.current?.elements
    const inputs = () => [...(elements ?? [])].filter((one) => one instanceof HTMLInputElement)
    const same = inputs().find((one) => labelOf(one) === focused?.label)
    // The focused field must be visible, even while the page around it still loads.
    if (same) form.current?.toggleAttribute('data-handed', true)
    same?.focus({ preventScroll: true })
    if (typeof focused?.start === 'number') same?.setSelectionRange(focused.start, focused.end)
    focused = undefined
    return () => {
      const one = inputs().find((input) => input === document.activeElement)
      if (pendingInput && one) focused = { label: labelOf(one), start: one.selectionStart, end: one.selectionEnd }
    }
  }, [])
  return form
}
