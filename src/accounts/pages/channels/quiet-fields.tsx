import type { Draft } from '../../../ui/form/draft.ts'
import { SwitchField, TextField } from '../../../ui/form/field.tsx'
import { SelectField } from '../../../ui/form/select.tsx'
import css from './channels.module.css'
import { CheckList } from './check-list.tsx'
import type { Values } from './values.ts'
import { dayNames } from './words.ts'

const days = dayNames.map((label, index) => ({ value: index + 1, label }))

/** Hours in which nothing is sent; what happens meanwhile is told when they end. */
export function QuietFields({ draft: { values, errors, set } }: { draft: Draft<Values> }) {
  const zones = zonesWith(values.zone).map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))
  return (
    <div className={css.group}>
      <SwitchField
        label="Quiet hours"
        hint="Messages wait until they end."
        checked={values.isQuiet}
        onChange={(on) => set('isQuiet', on)}
      />
      {values.isQuiet && (
        <>
          <div className={css.pair}>
            <TextField label="From" type="time" required value={values.from} onText={(text) => set('from', text)} />
            <TextField
              label="To"
              type="time"
              required
              value={values.to}
              error={errors.to ?? errors.quiet}
              onText={(text) => set('to', text)}
            />
          </div>
          <CheckList
            label="Beginning on"
            inline
            options={days}
            chosen={values.days}
            error={errors.days}
            onChange={(chosen) => set('days', chosen)}
          />
          <SelectField label="Time zone" options={zones} value={values.zone} onChange={(zone) => set('zone', zone)} />
        </>
      )}
    </div>
  )
}

/** Every zone the browser knows, and this one. */
function zonesWith(zone: string): string[] {
  const known = Intl.supportedValuesOf('timeZone')
  return known.includes(zone) ? known : [zone, ...known]
}
