import { type KeyboardEvent, type ReactNode, useEffect } from 'react'
import { Button } from '../../components/button.tsx'
import { amend, warn, withdraw } from '../../toasts.ts'
import css from './save-button.module.css'

const missingFields = 'Missing fields:'
export const warnOfMissing = (missing: readonly string[]) => warn(missingFields, missing)

const withdrawMissing = () => withdraw(({ message }) => message === missingFields)

/** The form that the SaveButton sends, for fields that stand elsewhere. */
export const savedFields = 'saved-fields'
/** Where Enter chooses, or does nothing, a browser would send the form all the same. */
const chooses = (field: HTMLInputElement) =>
  field.getAttribute('role') === 'combobox' || ['checkbox', 'radio'].includes(field.type)

/** Fields of a page; Enter in one with text does what the SaveButton does. */
export function SavedFields({ children }: { children: ReactNode }) {
  const onEnter = (event: KeyboardEvent) => {
    const { key, repeat, target } = event
    if (key === 'Enter' && target instanceof HTMLInputElement && (repeat || chooses(target))) event.preventDefault()
  }
  return (
    <form
      id={savedFields}
      className={css.contents}
      noValidate
      onKeyDown={onEnter}
      onSubmit={(event) => event.preventDefault()}
    >
      {children}
    </form>
  )
}

/** Save stays reachable while fields are empty, so that it can say which. */
export function SaveButton({
  missing,
  busy,
  onSave,
  children,
}: {
  missing: readonly string[]
  busy: boolean
  onSave: () => void
  children: ReactNode
}) {
  const incomplete = missing.length > 0
  useEffect(() => (incomplete ? amend(missingFields, missing) : withdrawMissing()))
  useEffect(() => withdrawMissing, [])
  const tell = () => incomplete && warnOfMissing(missing)
  return (
    <Button
      type="submit"
      form={savedFields}
      tone="primary"
      aria-disabled={incomplete || busy}
      onPointerEnter={tell}
      onFocus={tell}
      onClick={() => {
        if (incomplete) tell()
        else if (!busy) onSave()
      }}
    >
      {children}
    </Button>
  )
}
