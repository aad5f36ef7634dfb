import type { KeyboardEvent, ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { isComposing } from '../../keys.ts'
import { useMissingToast, warnOfMissing } from '../editor.ts'
import { useHandedFocus } from '../hand-over.ts'
import css from './action-bar.module.css'

/** The id of the form that the SaveButton submits, for fields outside that form. */
export const pageFormId = 'saved-fields'
/** Whether Enter in this field selects an option, searches or does nothing; the browser would submit the form. */
const chooses = (field: HTMLInputElement) =>
  field.getAttribute('role') === 'combobox' || ['checkbox', 'radio', 'search'].includes(field.type)

/** The fields of a page; Enter in a text field works like the SaveButton. */
export function PageForm({ children }: { children: ReactNode }) {
  const onEnter = (event: KeyboardEvent) => {
    const { key, repeat, target, nativeEvent } = event
    if (key !== 'Enter' || !(target instanceof HTMLInputElement)) return
    if (repeat || chooses(target) || isComposing(nativeEvent)) event.preventDefault()
  }
  const form = useHandedFocus()
  return (
    <form
      ref={form}
      id={pageFormId}
      className={css.contents}
      noValidate
      onKeyDown={onEnter}
      onSubmit={(event) => event.preventDefault()}
    >
      {children}
    </form>
  )
}

/** Lists the missing fields when focused. Pressed during a save, it afterwards saves what was typed since. */
export function SaveButton(props: {
  missing: readonly string[]
  busy: boolean
  /** Whether there is nothing to save. */
  isQuiet: boolean
  onSave: () => void
  children: ReactNode
}) {
  const { missing, busy, isQuiet, onSave, children } = props
  const incomplete = missing.length > 0
  useMissingToast(missing)
  const tell = () => incomplete && warnOfMissing(missing)
  return (
    <Button
      type="submit"
      form={pageFormId}
      tone={isQuiet ? 'plain' : 'primary'}
      aria-disabled={incomplete || busy}
      onPointerEnter={tell}
      onFocus={tell}
      onClick={() => (incomplete ? tell() : onSave())}
    >
      {children}
    </Button>
  )
}
