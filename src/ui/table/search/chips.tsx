import css from './chips.module.css'

/** Narrows a list to one kind of rows by a press. */
export function Chips<Kind extends string>(props: {
  /** What they narrow, for screen readers. */
  label: string
  kinds: Readonly<Record<Kind, string>>
  /** Undefined for all rows. */
  chosen: Kind | undefined
  onChoose: (kind: Kind | undefined) => void
}) {
  const { kinds, chosen, onChoose } = props
  const all = [[undefined, 'All'] as const, ...(Object.entries<string>(kinds) as [Kind, string][])]
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields
    <div className={css.chips} role="group" aria-label={props.label}>
      {all.map(([kind, text]) => (
        <button
          key={text}
          type="button"
          className={css.chip}
          aria-pressed={kind === chosen}
          onClick={() => onChoose(kind === chosen ? undefined : kind)}
        >
          {text}
        </button>
      ))}
    </div>
  )
}
