import { can } from '../../shared/user.ts'
import { Card } from '../../ui/components/page.tsx'
import { useSessionUser } from '../../ui/data/session.ts'
import { SavedFields } from '../../ui/form/actions/save-button.tsx'
import type { Draft } from '../../ui/form/draft.ts'
import { NumberField, SwitchField, TextField } from '../../ui/form/field.tsx'
import { labelledInputs } from '../../ui/form/fields.ts'
import { issuesOf } from '../../ui/form/issues.ts'
import { commonFields } from './common-fields.ts'
import css from './pages.module.css'
import type { Common, Detail, EntryScreens, Item } from './tool-pages.ts'

/** The form of a new or saved entry. Only users who see everybody's entries can set the owner. */
export function Editor<Row extends Item, Entry extends Detail, Settings extends object>(props: {
  screens: EntryScreens<Row, Entry, Settings>
  draft: Draft<Settings & Common>
  id?: string
}) {
  const { screens, draft } = props
  const common: Draft<Common> = draft
  const field = labelledInputs(common, commonFields)
  const maySetOwner = can(useSessionUser(), 'Tools', 2)
  return (
    <Card className={css.form} aria-label="Entry">
      <SavedFields>
        <TextField {...field('name')} placeholder="Optional" maxLength={80} autoComplete="off" />
        {props.id !== undefined && <TextField label="ID" value={props.id} readOnly code />}
        <screens.Fields draft={draft} id={props.id} />
        <NumberField {...field('notifyAfter')} min={1} max={20} hint="Failures in a row before we let you know." />
        <TextField {...field('owner')} type="email" readOnly={!maySetOwner} />
        <SwitchField {...field('status')} hint={screens.statusHint} />
      </SavedFields>
    </Card>
  )
}

/** Why the contracts would refuse these values, by field; fetches them. */
export async function check<Row extends Item, Entry extends Detail, Settings extends object>(
  screens: Pick<EntryScreens<Row, Entry, Settings>, 'check'>,
  values: Settings & Common,
): Promise<Record<string, string>> {
  const { CommonFields } = await import('../contract.ts')
  return { ...issuesOf(CommonFields, values), ...(await screens.check(values)) }
}
