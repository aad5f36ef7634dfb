import { Check, ChevronRight } from 'lucide-react'
import { abilitiesOf } from '../../../people/pages/role-labels.ts'
import type { AccessLevel, Roles } from '../../../shared/user.ts'
import { Part } from '../../../ui/components/page/page.tsx'
import { SavedFields } from '../../../ui/form/actions/save-button.tsx'
import type { Draft } from '../../../ui/form/draft.ts'
import { EmailField, TextField } from '../../../ui/form/field.tsx'
import { MultiSelectField, SelectField } from '../../../ui/form/select.tsx'
import type { User } from '../../contract.ts'
import { ApiKeyTable } from './api-key-table.tsx'
import { Credentials } from './credentials.tsx'
import { ProviderTable } from './provider-table.tsx'
import { RoleTable } from './role-table.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Usage } from './usage.tsx'
import css from './user-form.module.css'
import { statusOptions, tagOptions, type UserValues } from './values.ts'

/** The form of a user. `saved` is the user as the server has it; a new user has none, and nothing that only the server knows. */
export function UserForm(props: { draft: Draft<UserValues>; taken: Record<string, string>; saved?: User }) {
  const { draft, taken, saved } = props
  const { values, set } = draft
  const errors = { ...taken, ...draft.errors }
  return (
    <div className={css.parts}>
      <Part aria-label="User">
        <SavedFields>
          <TextField label="ID" value={saved?.id ?? ''} placeholder="Assigned when you save" readOnly code />
          <TextField
            label="Name"
            required
            autoComplete="off"
            value={values.name}
            error={errors.name}
            onText={(name) => set('name', name)}
          />
          <EmailField
            autoComplete="off"
            value={values.email}
            hint={saved?.emailVerified === false && 'Unverified. An address that you enter counts as verified.'}
            error={errors.email}
            onText={(email) => set('email', email)}
          />
          <SelectField
            label="Status"
            options={statusOptions}
            hint="Inactive or blocked users can't sign in; their entries are paused."
            value={values.status}
            error={errors.status}
            onChange={(status) => set('status', status)}
          />
          <MultiSelectField
            label="Tags"
            options={tagOptions}
            values={values.tags}
            error={errors.tags}
            onChange={(tags) => set('tags', tags)}
          />
        </SavedFields>
      </Part>
      <div className={css.side}>
        <RoleTable roles={values.roles} error={errors.roles} onChange={(roles) => set('roles', roles)}>
          <Abilities status={values.status} roles={values.roles} />
        </RoleTable>
        <Credentials draft={draft} error={errors.credUsername} {...(saved && { saved })} />
      </div>
      {saved && (
        <>
          <Usage user={saved} />
          <ProviderTable
            links={values.providers}
            error={errors.providers}
            onChange={(providers) => set('providers', providers)}
          />
          <SecondFactor user={saved} />
          <ApiKeyTable keys={saved.apiKeys ?? []} />
        </>
      )}
    </div>
  )
}

/** What a user with this status and these roles can do, unfolded by a press. */
function Abilities(user: { status: AccessLevel; roles: Roles }) {
  const { blockedBy, can } = abilitiesOf(user)
  return (
    <details className={css.abilities}>
      <summary>
        <ChevronRight size={14} aria-hidden="true" />
        What can this user do?
      </summary>
      {blockedBy && <p>Nothing while the account is {blockedBy}. Once it is active:</p>}
      <ul>
        {can.map((ability) => (
          <li key={ability}>
            <Check size={14} aria-hidden="true" />
            {ability}
          </li>
        ))}
      </ul>
    </details>
  )
}
