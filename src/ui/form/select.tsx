import { Combobox } from '@base-ui/react/combobox'
import { Check, ChevronDown, X } from 'lucide-react'
import { type ReactNode, useId, useMemo, useState } from 'react'
import surface from '../components/surface.module.css'
import fieldCss from './field.module.css'
import { HintOrError } from './field.tsx'
import css from './select.module.css'

type Option<Value> = { value: Value; label: string }

type Props<Value> = {
  label: string
  options: readonly Option<Value>[]
  placeholder?: string
  hint?: ReactNode
  error?: string | undefined
}

const useItems = <Value extends string | number>(options: readonly Option<Value>[]) =>
  useMemo(
    () => Combobox.createItems([...options], { getValue: ({ value }) => value, getLabel: ({ label }) => label }),
    [options],
  )

/** A dropdown, searchable by typing, with one selected option. */
export function SelectField<Value extends string | number>(
  props: Props<Value> & { value: Value | null; onChange: (value: Value) => void },
) {
  const { label, options, value, placeholder = 'Select an option' } = props
  const id = useId()
  // The search text; while undefined, the field shows the selected option.
  const [query, setQuery] = useState<string>()
  const selected = options.find((option) => option.value === value)?.label ?? ''
  const stopSearching = () => setQuery(undefined)
  return (
    <Combobox.Root
      items={useItems(options)}
      modal
      autoHighlight
      value={value}
      onValueChange={(next) => next !== null && props.onChange(next)}
      inputValue={query ?? selected}
      onInputValueChange={(text, { reason }) => setQuery(reason === 'input-change' ? text : undefined)}
      onOpenChange={(open) => !open && stopSearching()}
    >
      <Frame {...props} id={id}>
        <Combobox.Input
          id={id}
          className={css.text}
          aria-label={label}
          placeholder={placeholder}
          onFocus={(event) => event.currentTarget.select()}
          onBlur={stopSearching}
          {...describe(id, props)}
        />
      </Frame>
      <List label={label} options={options} />
    </Combobox.Root>
  )
}

/** A dropdown, searchable by typing, with any number of selected options, each shown as a removable pill. */
export function MultiSelectField<Value extends string | number>(
  props: Props<Value> & {
    value: readonly Value[]
    /** For options that are searched elsewhere: `onText` receives the typed text, and `matches` filters the options. */
    search?: { onText: (text: string) => void; matches: (value: Value) => boolean; none: string }
    onChange: (value: Value[]) => void
  },
) {
  const { label, options, value: values, search, placeholder = 'Select an option' } = props
  const id = useId()
  const inOrder = (chosen: Value[]) => options.flatMap(({ value }) => (chosen.includes(value) ? [value] : []))
  return (
    <Combobox.Root
      items={useItems(options)}
      multiple
      modal
      autoHighlight
      value={values}
      // Escape on a closed list would otherwise clear the selection.
      onValueChange={(next, { reason }) => reason !== 'escape-key' && props.onChange(inOrder(next))}
      onInputValueChange={(text) => search?.onText(text)}
      filter={search && ((option: Option<Value>) => search.matches(option.value))}
    >
      <Frame {...props} id={id}>
        <Combobox.Chips className={css.chips}>
          {options
            .filter((option) => values.includes(option.value))
            .map((option) => (
              <Combobox.Chip key={option.value} className={css.chip} aria-label={option.label}>
                {option.label}
                <Combobox.ChipRemove className={css.remove} aria-label={`Remove ${option.label}`}>
                  <X size={13} aria-hidden="true" />
                </Combobox.ChipRemove>
              </Combobox.Chip>
            ))}
          <Combobox.Input
            id={id}
            className={css.text}
            aria-label={label}
            placeholder={values.length > 0 ? '' : placeholder}
            {...describe(id, props)}
          />
        </Combobox.Chips>
      </Frame>
      <List label={label} options={options} none={search?.none} />
    </Combobox.Root>
  )
}

const aboutId = (id: string) => `${id}-about`
const describe = (id: string, { error, hint }: { error?: string | undefined; hint?: ReactNode }) => ({
  'aria-invalid': error ? true : undefined,
  'aria-describedby': error || hint ? aboutId(id) : undefined,
})

function Frame(props: Omit<Props<unknown>, 'options'> & { id: string; children: ReactNode }) {
  return (
    <div className={fieldCss.field}>
      <label htmlFor={props.id}>{props.label}</label>
      <Combobox.InputGroup className={`${fieldCss.group} ${css.group}`} data-refused={props.error ? true : undefined}>
        {props.children}
        <Combobox.Trigger role="button" className={css.open} aria-label={`Show ${props.label}`}>
          <ChevronDown size={16} aria-hidden="true" />
        </Combobox.Trigger>
      </Combobox.InputGroup>
      <HintOrError id={aboutId(props.id)} hint={props.hint} error={props.error} />
    </div>
  )
}

function List<Value extends string | number>({
  label,
  options,
  none,
}: {
  label: string
  options: readonly Option<Value>[]
  none?: string | undefined
}) {
  return (
    <Combobox.Portal>
      <Combobox.Positioner className={css.positioner} sideOffset={4} collisionPadding={8}>
        <Combobox.Popup className={`${surface.raised} ${surface.drop} ${css.popup}`}>
          <Combobox.Empty className={css.empty}>
            {none ?? (options.length > 0 ? 'Nothing found that match the query.' : 'No values to show.')}
          </Combobox.Empty>
          <Combobox.List className={css.list} aria-label={label}>
            {(option: Option<Value>) => (
              <Combobox.Item key={option.value} value={option.value} className={`${surface.option} ${css.item}`}>
                {option.label}
                <Combobox.ItemIndicator>
                  <Check className={css.tick} size={16} aria-hidden="true" />
                </Combobox.ItemIndicator>
              </Combobox.Item>
            )}
          </Combobox.List>
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  )
}
