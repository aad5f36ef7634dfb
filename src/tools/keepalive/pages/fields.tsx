import { useState } from 'react'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import type { Draft } from '../../../ui/form/draft.ts'
import { ChoiceField, TextField } from '../../../ui/form/field.tsx'
import { UrlField } from '../../../ui/form/url-field.tsx'
import { formatInterval } from '../../../ui/format-time.ts'
import { keepaliveTool } from '../tool.ts'

type Settings = { url: string; interval: number | null }
type Preset = 'default' | 'heroku' | 'render' | 'custom'

/** Whole minutes, a little less than the host's idle limit. */
const presets = { heroku: 28, render: 13 }

function presetOf(interval: number | null): Preset {
  if (interval === null) return 'default'
  if (interval === presets.heroku) return 'heroku'
  return interval === presets.render ? 'render' : 'custom'
}

export function Fields({ draft: { values, errors, set } }: { draft: Draft<Settings> }) {
  return (
    <>
      <UrlField
        label="URL"
        placeholder="https://app.example.com/health"
        hint="We send a GET request to this URL."
        value={values.url}
        error={errors.url}
        onText={(url) => set('url', url)}
      />
      <Interval minutes={values.interval} error={errors.interval} onChange={(minutes) => set('interval', minutes)} />
    </>
  )
}

function Interval(props: {
  minutes: number | null
  error: string | undefined
  onChange: (minutes: number | null) => void
}) {
  const { minutes, onChange } = props
  const defaultInterval = useDefaultInterval(keepaliveTool.id)
  const [custom, setCustom] = useState(false)
  const preset = custom && minutes !== null ? 'custom' : presetOf(minutes)
  const choose = (next: Preset) => {
    setCustom(next === 'custom')
    if (next === 'default') onChange(null)
    else if (next === 'custom') onChange(minutes ?? presets.heroku)
    else onChange(presets[next])
  }
  return (
    <ChoiceField
      label="Interval"
      value={preset}
      onChange={choose}
      choices={[
        { value: 'default', label: 'Default', hint: defaultInterval ? formatInterval(defaultInterval) : undefined },
        { value: 'heroku', label: 'Heroku', hint: `${presets.heroku} minutes` },
        { value: 'render', label: 'Render', hint: `${presets.render} minutes` },
        { value: 'custom', label: 'Custom', hint: 'Up to 7 days' },
      ]}
    >
      {preset === 'custom' && (
        <TextField
          label="Minutes between pings"
          type="number"
          inputMode="numeric"
          min={1}
          max={10_080}
          required
          value={minutes === null || Number.isNaN(minutes) ? '' : minutes}
          error={props.error}
          onText={(text) => onChange(text === '' ? Number.NaN : Number(text))}
        />
      )}
    </ChoiceField>
  )
}
