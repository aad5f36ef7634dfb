import { Check, ChevronRight, KeyRound, Trash2 } from 'lucide-react'
import { Fragment, type ReactNode, useId } from 'react'
import { type ApiKey, usernameRule } from '../../../people/contract.ts'
import type { ProviderLink } from '../../../people/pages/provider-link.ts'
import { abilitiesOf, roleSentences, shownRoles } from '../../../people/pages/role-labels.ts'
import { type AccessLevel, accessLevels, isSameMethod, type Roles } from '../../../shared/user.ts'
import { ProviderLinks } from '../../../sign-in/pages/provider-links.tsx'
import { Button, IconButton } from '../../../ui/components/button.tsx'
import { useConfirmModal } from '../../../ui/components/confirm-button.tsx'
import { Moment } from '../../../ui/components/moment.tsx'
import { StatusPill } from '../../../ui/components/pill.tsx'
import { Section } from '../../../ui/components/section.tsx'
import { SmallTable, useFold } from '../../../ui/components/small-table.tsx'
import { useSessionUser } from '../../../ui/data/session.ts'
import { PageForm, pageFormId } from '../../../ui/form/actions/save-button.tsx'
import type { Draft } from '../../../ui/form/draft.ts'
import { EmailField, TextField } from '../../../ui/form/field.tsx'
import { labelledInputs } from '../../../ui/form/fields.ts'
import { MultiSelectField, SelectField } from '../../../ui/form/select.tsx'
import { lazyDialog } from '../../../ui/navigation/lazy.ts'
import type { User } from '../../contract.ts'
import { useEndSessionsOf, useResetFactor } from '../calls.ts'
import css from './user-form.module.css'
import {
  levels,
  losesPassword,
  statusOptions,
  tagOptions,
  type UserValues,
  userFields,
  valuesOfUser,
} from './values.ts'

/** The form of a user. `saved` is the user on the server; a new user has none, and no sections that depend on it. */
export function UserForm(props: { draft: Draft<UserValues>; takenReasons: Record<string, string>; saved?: User }) {
  const { draft, takenReasons, saved } = props
  const { values, set } = draft
  const errors = { ...takenReasons, ...draft.errors }
  const field = labelledInputs({ ...draft, errors }, userFields)
  return (
    <div className={css.parts}>
      <Section title="User" note="What this user is called, and whether they can sign in.">
        <PageForm>
          <TextField label="ID" value={saved?.id ?? ''} placeholder="Assigned when you save" readOnly code />
          <TextField {...field('name')} autoComplete="off" />
          <EmailField
            {...field('email')}
            autoComplete="off"
            hint={saved?.emailVerified === false && 'Unverified. An email you enter here counts as verified.'}
          />
          <SelectField
            {...field('status')}
            options={statusOptions}
            hint="Inactive or blocked users can't sign in; their entries are paused."
          />
          <MultiSelectField {...field('tags')} options={tagOptions} />
        </PageForm>
      </Section>
      <RoleTable roles={values.roles} error={errors.roles} onChange={(roles) => set('roles', roles)}>
        <Abilities status={values.status} roles={values.roles} />
      </RoleTable>
      <Credentials {...field('credUsername')} draft={draft} {...(saved && { saved })} />
      {saved && (
        <>
          <ProviderTable
            links={values.providers}
            error={errors.providers}
            onChange={(providers) => set('providers', providers)}
          />
          <SecondFactor user={saved} />
          <Usage user={saved} />
          <ApiKeyTable keys={saved.apiKeys ?? []} />
        </>
      )}
    </div>
  )
}

/** A collapsible list of what a user with this status and these roles can do. */
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

/** The user's API keys, read-only: only the user can create and delete them. */
function ApiKeyTable({ keys }: { keys: readonly ApiKey[] }) {
  const { visibleItems, more } = useFold(keys)
  return (
    <Section title="API Keys" note="Users create their own on their profile.">
      {keys.length === 0 && <p className={css.none}>No API keys.</p>}
      {keys.length > 0 && (
        <SmallTable heads={['Name', 'Last Four', 'Scopes', 'Created', 'Last Used', 'Expires']}>
          {visibleItems.map(({ id, name, last4, scopes, createdAt, lastUsedAt, expiresAt }) => (
            <tr key={id}>
              <td title={name}>{name}</td>
              <td data-label="Last Four">
                <code>{last4}</code>
              </td>
              <td data-label="Scopes">{scopes.join(', ')}</td>
              <td data-label="Created">
                <Moment at={createdAt} />
              </td>
              <td data-label="Last Used">
                <Moment at={lastUsedAt} />
              </td>
              <td data-label="Expires">
                <Moment at={expiresAt} never="Never" />
              </td>
            </tr>
          ))}
        </SmallTable>
      )}
      {more}
    </Section>
  )
}

const usePasswordModal = lazyDialog(async () => (await import('./password-modal.tsx')).PasswordModal)

function hintFor(saved: User | undefined, leaving: boolean): string {
  if (leaving) return 'Saving removes the username and password along with the Credentials provider.'
  if (!saved) return `${usernameRule} You can set a password after saving.`
  return `${usernameRule} ${saved.credUsername ? 'Used to sign in with a password.' : 'Save it first, then set a password.'}`
}

type UsernameProps = {
  draft: Draft<UserValues>
  saved?: User
  label: string
  value: string
  error: string | undefined
  onChange: (username: string) => void
}

function Credentials({ draft, saved, ...username }: UsernameProps) {
  const { Dialog, turn, open, close, opener } = usePasswordModal()
  const leaving = saved !== undefined && losesPassword(valuesOfUser(saved), draft.values)
  return (
    <Section title="Credentials" note="For signing in with a password.">
      <TextField
        {...username}
        form={pageFormId}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        disabled={leaving}
        value={leaving ? '' : username.value}
        hint={hintFor(saved, leaving)}
      />
      <div>
        <Button disabled={!saved?.credUsername || leaving} {...opener}>
          <KeyRound size={15} aria-hidden="true" />
          Update Password
        </Button>
      </div>
      {saved && Dialog && <Dialog key={turn} open={open} user={saved} onClose={close} />}
    </Section>
  )
}

/** This user's sign-in methods. Deleting one takes effect when the form is saved. */
function ProviderTable(props: {
  links: readonly ProviderLink[]
  error: string | undefined
  onChange: (links: ProviderLink[]) => void
}) {
  const { links, error, onChange } = props
  return (
    <Section title="Providers" note="Deleting one takes effect when you save.">
      {links.length === 0 && <p className={css.none}>No linked providers.</p>}
      {links.length > 0 && (
        <ProviderLinks
          links={links}
          heads={['Provider', 'Account ID', 'Account Username', 'Profile']}
          act="Delete"
          actOf={(link, name) => (
            <IconButton
              label={`Delete ${name} ${link.accountUsername ?? link.accountId}`}
              onClick={() => onChange(links.filter((other) => !isSameMethod(other, link)))}
            >
              <Trash2 size={15} aria-hidden="true" />
            </IconButton>
          )}
        />
      )}
      <Refused reason={error} />
    </Section>
  )
}

const passkeyCount = (count: number) => (count === 1 ? '1 passkey' : `${count === 0 ? 'No' : count} passkeys`)

function SecondFactor({ user }: { user: User }) {
  const { Dialog, open, close, opener } = useConfirmModal()
  const reset = useResetFactor()
  const isSelf = useSessionUser()?.id === user.id
  const hasAny = user.secondFactor || user.passkeys > 0
  return (
    <Section title="Two-step sign-in" note="A code in addition to the password.">
      <p className={css.none}>
        <StatusPill dot look={user.secondFactor ? 'ok' : 'off'} text={user.secondFactor ? 'On' : 'Off'} />{' '}
        {passkeyCount(user.passkeys)}
      </p>
      {hasAny && !isSelf && (
        <div>
          <Button {...opener}>Reset Two-Step Sign-In</Button>
        </div>
      )}
      {Dialog && (
        <Dialog
          open={open}
          title={`Reset two-step sign-in of ${user.email} ?`}
          description={`${user.name} will be signed out, and can sign in without a code. Passkeys are deleted, unless they are the only way to sign in.`}
          yes="Reset"
          busy={reset.isPending}
          onClose={close}
          onConfirm={() => reset.mutate({ id: user.id }, { onSettled: close })}
        />
      )}
    </Section>
  )
}

function Usage({ user }: { user: User }) {
  const end = useEndSessionsOf()
  return (
    <Section title="Usage" note="When and how often this user was here.">
      <dl className={css.facts}>
        <Fact name="Last Usage Timestamp">
          <Moment at={user.lastUsageTimestamp} />
        </Fact>
        <Fact name="Log In Count">{user.logInCount}</Fact>
        <Fact name="Sessions">{user.sessions}</Fact>
        <Fact name="Created Timestamp">
          <Moment at={user.createdAt} />
        </Fact>
        <Fact name="Updated Timestamp">
          <Moment at={user.updatedAt} />
        </Fact>
      </dl>
      {user.sessions > 0 && (
        <Button size="small" disabled={end.isPending} onClick={() => end.mutate({ id: user.id })}>
          End Sessions
        </Button>
      )}
    </Section>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** A row of level radio buttons for each role, with the meaning of the chosen level below. */
function RoleTable(props: {
  roles: Roles
  error: string | undefined
  onChange: (roles: Roles) => void
  children?: ReactNode
}) {
  const id = useId()
  const { roles, error, onChange } = props
  const aboutOf = (role: string) => `${id}-about-${role}`
  return (
    <Section title="Roles" note="What this user can do.">
      <table className={css.levels}>
        <thead>
          <tr>
            <th scope="col">Role</th>
            {levels.map((level) => (
              <th key={level} scope="col">
                {accessLevels[level]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shownRoles.map((role) => (
            <Fragment key={role}>
              <tr>
                <th scope="row">{role}</th>
                {levels.map((level) => (
                  <td key={level}>
                    <label className={css.level}>
                      <input
                        type="radio"
                        name={`${id}-${role}`}
                        aria-label={`${role}: ${accessLevels[level]}`}
                        aria-describedby={aboutOf(role)}
                        checked={roles[role] === level}
                        onChange={() => onChange({ ...roles, [role]: level })}
                      />
                    </label>
                  </td>
                ))}
              </tr>
              <tr className={css.meaning}>
                <td colSpan={1 + levels.length} id={aboutOf(role)}>
                  {roleSentences[role][roles[role]]}
                </td>
              </tr>
            </Fragment>
          ))}
        </tbody>
      </table>
      {props.children}
      <Refused reason={error} />
    </Section>
  )
}

function Refused({ reason }: { reason: string | undefined }) {
  if (!reason) return null
  return (
    <p className={css.refused} role="alert">
      {reason}
    </p>
  )
}
