import { useId } from 'react'
import { Card } from '../../../ui/components/page.tsx'
import { ChoiceField, SwitchField, TextField } from '../../../ui/form/field.tsx'
import { isColor, type NamedColor, palette, type Style, styles } from '../terms.ts'
import type { Choice } from './address.ts'
import css from './look.module.css'

const names: Record<Style, string> = {
  'flat-square': 'Flat square',
  flat: 'Flat',
  plastic: 'Plastic',
  'for-the-badge': 'For the badge',
  social: 'Social',
  sparkline: 'Sparkline',
}

/** How the badge looks. */
export function Look({ choice, onChange }: { choice: Choice; onChange: (change: Partial<Choice>) => void }) {
  return (
    <Card className={css.look} aria-label="Appearance">
      <h2>Appearance</h2>
      <ChoiceField
        label="Style"
        choices={styles.map((value) => ({ value, label: names[value] }))}
        value={choice.style}
        onChange={(style) => onChange({ style })}
      />
      <ColorField
        label="Color"
        byDefault="brightgreen"
        value={choice.color}
        onChange={(color) => onChange({ color })}
      />
      <ColorField
        label="Label color"
        byDefault="grey"
        value={choice.labelColor}
        onChange={(labelColor) => onChange({ labelColor })}
      />
      <SwitchField
        label="Abbreviated"
        hint="Shows 1.2k for 1,234."
        checked={choice.abbreviated}
        onChange={(abbreviated) => onChange({ abbreviated })}
      />
    </Card>
  )
}

/** A named color, or any other by its hexadecimal digits. */
function ColorField(props: { label: string; byDefault: NamedColor; value: string; onChange: (color: string) => void }) {
  const group = useId()
  const swatches = [
    { name: '', title: `Default: ${props.byDefault}`, fill: palette[props.byDefault] },
    ...Object.entries(palette)
      .filter(([name]) => name !== props.byDefault)
      .map(([name, fill]) => ({ name, title: name, fill })),
  ]
  const isSwatch = swatches.some(({ name }) => name === props.value)
  return (
    <fieldset className={css.color}>
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
        onText={(text) => props.onChange(text.replaceAll(/[^0-9a-f]/gi, '').slice(0, 6))}
      />
    </fieldset>
  )
}
