import type { Draft } from '../../../ui/form/draft.ts'
import { SwitchField, TextField } from '../../../ui/form/field.tsx'
import css from './channels.module.css'
import type { Values } from './values.ts'

/** Whether, and how often, a channel repeats what still fails. */
export function ReminderField({ draft: { values, errors, set } }: { draft: Draft<Values> }) {
  return (
    <div className={css.group}>
      <SwitchField
        label="Reminders"
        hint="Tell me again while it lasts."
        checked={values.reminds}
        onChange={(on) => set('reminds', on)}
      />
      {values.reminds && (
        <TextField
          label="Hours between reminders"
          type="number"
          min={1}
          max={168}
          required
          value={values.remindEvery}
          error={errors.remindEvery}
          onText={(text) => set('remindEvery', text)}
        />
      )}
    </div>
  )
}
