import type { Quiet } from '../../shared/quiet.ts'
import { CheckList } from './check-list.tsx'
import { SwitchField, TextField } from './field.tsx'
import css from './quiet-fields.module.css'
import { dayNames } from './quiet-hours.ts'
import { SelectField } from './select.tsx'

const days = dayNames.map((label, index) => ({ value: index + 1, label }))

/** Hours in which nothing is sent; `hint` explains what that means. */
export function QuietFields(props: {
  hint: string
  on: boolean
  hours: Quiet
  errors: { [Part in keyof Quiet]?: string | undefined }
  onSwitch: (on: boolean) => void
  onHours: (changed: Partial<Quiet>) => void
}) {
  const { hint, on, hours, errors, onSwitch, onHours } = props
  const zones = zonesWith(hours.zone).map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))
  return (
    <div className={css.group}>
      <SwitchField label="Quiet hours" hint={hint} value={on} onChange={onSwitch} />
      {on && (
        <>
          <div className={css.pair}>
            <TextField
              label="From"
              type="time"
              required
              value={hours.from}
              error={errors.from}
              onChange={(from) => onHours({ from })}
            />
            <TextField
              label="To"
              type="time"
              required
              value={hours.to}
              error={errors.to}
              onChange={(to) => onHours({ to })}
            />
          </div>
          <CheckList
            label="Beginning on"
            inline
            options={days}
            value={hours.days}
            error={errors.days}
            onChange={(chosen) => onHours({ days: chosen })}
          />
          <SelectField
            label="Time zone"
            options={zones}
            value={hours.zone}
            error={errors.zone}
            onChange={(zone) => onHours({ zone })}
          />
        </>
      )}
    </div>
  )
}

function zonesWith(zone: string): string[] {
  const zones = Intl.supportedValuesOf('timeZone')
  return zones.includes(zone) ? zones : [zone, ...zones]
}
