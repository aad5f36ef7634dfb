import { useState } from 'react'
import { type Milliseconds, minutes } from '../../../shared/time.ts'
import { ChoiceField, TextField } from '../../../ui/form/field.tsx'
import { formatInterval } from '../../../ui/format-time.ts'
import { type Interval, recommended } from '../hosts/terms/interval.ts'
import type { KnownHost } from '../hosts/terms/known-hosts.ts'
import css from './interval.module.css'

type Preset = 'auto' | 'default' | 'heroku' | 'render' | 'custom'

/** Whole minutes, a little less than the host's idle limit. */
const presets = { heroku: 28, render: 13 }

function presetOf(interval: Interval): Preset {
  if (interval === null) return 'default'
  if (interval === 'auto') return 'auto'
  if (interval === presets.heroku) return 'heroku'
  return interval === presets.render ? 'render' : 'custom'
}

export function intervalInWords(interval: Interval): string {
  if (interval === null) return 'Default'
  return interval === 'auto' ? 'Auto' : formatInterval(minutes(interval))
}

/** `usual` is the default interval of this server; undefined until it is loaded. */
export function IntervalField(props: {
  host: KnownHost | undefined
  usual: Milliseconds | undefined
  interval: Interval
  error: string | undefined
  onChange: (interval: Interval) => void
}) {
  const { host, usual, interval, onChange } = props
  const [custom, setCustom] = useState(false)
  const isNumber = typeof interval === 'number'
  const preset = custom && isNumber ? 'custom' : presetOf(interval)
  const choose = (next: Preset) => {
    setCustom(next === 'custom')
    if (next === 'auto') onChange('auto')
    else if (next === 'default') onChange(null)
    else if (next === 'custom') onChange(isNumber ? interval : presets.heroku)
    else onChange(presets[next])
  }
  return (
    <div className={css.interval}>
      <ChoiceField
        label="Interval"
        value={preset}
        onChange={choose}
        choices={[
          { value: 'auto', label: 'Auto', hint: host && usual ? formatInterval(recommended(host, usual)) : 'By host' },
          { value: 'default', label: 'Default', hint: usual ? formatInterval(usual) : undefined },
          { value: 'heroku', label: 'Heroku', hint: `${presets.heroku} minutes` },
          { value: 'render', label: 'Render', hint: `${presets.render} minutes` },
          { value: 'custom', label: 'Custom', hint: 'Up to 7 days' },
        ]}
      >
        {preset === 'custom' && isNumber && (
          <TextField
            label="Minutes between pings"
            type="number"
            inputMode="numeric"
            min={1}
            max={10_080}
            required
            value={Number.isNaN(interval) ? '' : interval}
            error={props.error}
            onText={(text) => onChange(text === '' ? Number.NaN : Number(text))}
          />
        )}
      </ChoiceField>
    </div>
  )
}
