import { useId } from 'react'
import { isColor, isLogo, palette, styleLabels, styles } from '../../../shared/badge-look.ts'
import { Part } from '../../../ui/components/page.tsx'
import { ChoiceField, HintOrError, SwitchField, TextField } from '../../../ui/form/field.tsx'
import { type Period, periods } from '../terms.ts'
import { type Choice, defaultDark } from './address.ts'
import css from './look.module.css'

const pictures: Record<string, string> = import.meta.glob('./styles/*.svg', {
  query: '?inline',
  import: 'default',
  eager: true,
})
const periodNames: Record<Period, string> = { today: 'Today', '7d': '7 days', '30d': '30 days' }

export function Look({ choice, onChange }: { choice: Choice; onChange: (change: Partial<Choice>) => void }) {
  return (
    <Part className={css.look} aria-label="Appearance">
      <h2>Appearance</h2>
      <ChoiceField
        label="Style"
        choices={styles.map((value) => ({
          value,
          label: styleLabels[value],
          picture: pictures[`./styles/${value}.svg`],
        }))}
        value={choice.style}
        onChange={(style) => onChange({ style })}
      />
      <div className={css.short}>
        <ChoiceField
          label="Period (UTC)"
          choices={[
            { value: '', label: 'All time' },
            ...periods.map((value) => ({ value, label: periodNames[value] })),
          ]}
          value={choice.period}
          onChange={(period) => onChange({ period })}
        />
      </div>
      <ColorField
        label="Color"
        byDefault={{ name: 'brightgreen', fill: palette.brightgreen }}
        value={choice.color}
        onChange={(color) => onChange({ color })}
      />
      <ColorField
        label="Label color"
        byDefault={{ name: 'grey', fill: palette.grey }}
        value={choice.labelColor}
        onChange={(labelColor) => onChange({ labelColor })}
      />
      <ColorField
        label="On dark pages"
        hint="The label's color for readers with a dark theme. Only the “Light and dark” snippet uses it."
        byDefault={{ name: defaultDark, fill: `#${defaultDark}` }}
        value={choice.dark}
        onChange={(dark) => onChange({ dark })}
      />
      <TextField
        label="Logo (optional)"
        code
        value={choice.logo}
        placeholder="github"
        spellCheck={false}
        autoCapitalize="off"
        hint={
          <>
            A slug from{' '}
            <a href="https://simpleicons.org" target="_blank" rel="noreferrer">
              simpleicons.org
            </a>
            . Unknown ones are ignored.
          </>
        }
        error={choice.logo === '' || isLogo(choice.logo) ? undefined : 'Use lowercase letters, digits and underscores.'}
        onChange={(logo) => onChange({ logo: logo.trim().toLowerCase() })}
      />
      <SwitchField
        label="Abbreviated"
        hint="Shows 1.2k for 1,234."
        value={choice.abbreviated}
        onChange={(abbreviated) => onChange({ abbreviated })}
      />
    </Part>
  )
}

function ColorField(props: {
  label: string
  hint?: string
  byDefault: { name: string; fill: string }
  value: string
  onChange: (color: string) => void
}) {
  const group = useId()
  const swatches = [
    { name: '', title: `Default: ${props.byDefault.name}`, fill: props.byDefault.fill },
    ...Object.entries(palette)
      .filter(([name]) => name !== props.byDefault.name)
      .map(([name, fill]) => ({ name, title: name, fill })),
  ]
  const isSwatch = swatches.some(({ name }) => name === props.value)
  return (
    <fieldset className={css.color} aria-describedby={props.hint && `${group}-hint`}>
      <legend>{props.label}</legend>
      <div className={css.swatches}>
        {swatches.map(({ name, title, fill }) => (
          <label key={name} className={css.swatch} title={title} style={{ background: fill }}>
            <input
              type="radio"
              name={group}
              className="sr"
              aria-label={title}
              checked={name === props.value}
              onChange={() => props.onChange(name)}
            />
          </label>
        ))}
      </div>
      <TextField
        label="Hexadecimal"
        code
        placeholder="4078c0"
        spellCheck={false}
        value={isSwatch ? '' : props.value}
        error={isSwatch || isColor(props.value) ? undefined : 'Enter three or six hexadecimal digits (0–9, a–f).'}
        onChange={(text) => props.onChange(text.replaceAll(/[^0-9a-f]/gi, '').slice(0, 6))}
      />
      <HintOrError id={`${group}-hint`} hint={props.hint} />
    </fieldset>
  )
}
