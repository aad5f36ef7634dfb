import { can } from '../../shared/user.ts'
import { Card } from '../../ui/components/page.tsx'
import { useSessionUser } from '../../ui/data/session.ts'
import type { Draft } from '../../ui/form/draft.ts'
import { NumberField, SwitchField, TextField } from '../../ui/form/field.tsx'
import { type Fields, labelledInputs } from '../../ui/form/fields.ts'
import { Fold } from '../../ui/form/fold.tsx'
import { issuesOf } from '../../ui/form/issues.ts'
import { NotifiedChannels } from './details.tsx'
import css from './editor.module.css'
import type { Common, Detail, EntryScreens, Values } from './tool-pages.ts'

const commonFields: Fields<Common> = {
  name: { label: 'Name', blank: '' },
  notifyAfter: { label: 'Notify after', blank: 2, show: (count) => (count === 1 ? '1 failure' : `${count} failures`) },
  owner: { label: 'Owner', blank: '' },
  status: { label: 'Active', blank: true },
}

/** All fields of a tool's form; the tool's own follow the name. */
export const withCommonFields = <Settings extends object>(fields: Fields<Settings>) => {
  const { name, ...below } = commonFields
  return { name, ...fields, ...below } as Fields<Settings & Common>
}

type Props = {
  screens: EntryScreens
  draft: Draft<Values>
  /** Absent for a new entry. */
  entry?: Detail
}

/** The form of an entry, with rarely needed fields folded. Only users who see all users' entries can set the owner. */
export function Editor(props: Props) {
  const { screens, draft, entry } = props
  const { Fields, Rare, Apart } = screens
  const Beside = entry && screens.Beside
  const id = entry?.id
  const common: Draft<Common> = draft
  const field = labelledInputs(common, commonFields)
  const active = <SwitchField {...field('status')} hint={screens.statusHint} />
  return (
    <Card aria-label="Entry">
      <div className={entry ? css.columns : css.column}>
        <div className={css.column}>
          {Beside && active}
          <TextField {...field('name')} placeholder="Optional" maxLength={80} autoComplete="off" />
          <Fields draft={draft} id={id} />
        </div>
        <div className={css.column}>
          {Beside ? (
            <Beside draft={draft} id={entry.id} />
          ) : (
            <>
              {active}
              <Alerts {...props} draft={common} tool={screens.contract.id} />
              {entry && Apart && <Apart draft={draft} id={id} />}
            </>
          )}
        </div>
      </div>
      {Rare && <Rare draft={draft} id={id} />}
      {Beside && (
        <Fold
          title="Alerts and owner"
          summary={`Notify after ${commonFields.notifyAfter.show?.(common.values.notifyAfter, common.values)} · ${common.values.owner}`}
          isWrong={Boolean(draft.errors.notifyAfter ?? draft.errors.owner)}
        >
          <Alerts {...props} draft={common} tool={screens.contract.id} />
        </Fold>
      )}
    </Card>
  )
}

function Alerts({ draft, entry, tool }: { draft: Draft<Common>; entry?: Detail; tool: string }) {
  const field = labelledInputs(draft, commonFields)
  const maySetOwner = can(useSessionUser(), 'Tools', 2)
  return (
    <>
      <NumberField
        {...field('notifyAfter')}
        min={1}
        max={20}
        hint={
          <>
            Failures in a row before we let you know.
            <span className={css.notified}>
              Notified: <NotifiedChannels tool={tool} entry={entry ?? { id: '', owner: draft.values.owner }} />
            </span>
          </>
        }
      />
      <TextField {...field('owner')} type="email" readOnly={!maySetOwner} />
    </>
  )
}

/** Loads the contracts and returns the validation errors of these values by field. */
export async function validateEntry(
  screens: Pick<EntryScreens, 'check'>,
  values: Values,
): Promise<Record<string, string>> {
  const { CommonFields } = await import('../contract.ts')
  return { ...issuesOf(CommonFields, values), ...(await screens.check(values)) }
}
