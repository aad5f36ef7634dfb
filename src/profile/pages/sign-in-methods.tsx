import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { credentialsProvider } from '../../people/contract.ts'
import type { ProviderLink } from '../../people/pages/provider-link.ts'
import { isSameMethod, type SessionUser } from '../../shared/user.ts'
import { providersQuery, useRedirectToProvider } from '../../sign-in/pages/calls.ts'
import { NewPasswordField } from '../../sign-in/pages/new-password-field.tsx'
import { ProviderLinks } from '../../sign-in/pages/provider-links.tsx'
import { ProviderMark } from '../../sign-in/pages/provider-mark.tsx'
import { readStorage, writeStorage } from '../../ui/browser-storage.ts'
import { Button, Buttons, buttonClass } from '../../ui/components/button.tsx'
import { ConfirmButton } from '../../ui/components/confirm-button.tsx'
import { Form } from '../../ui/components/form.tsx'
import { Section } from '../../ui/components/section.tsx'
import { Warning } from '../../ui/components/warning.tsx'
import { callQuery, reload, useCall } from '../../ui/data/call.ts'
import { sessionQuery } from '../../ui/data/session.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { showServerErrorsOrNotify, useDialogForm } from '../../ui/form/editor.ts'
import { TextField } from '../../ui/form/field.tsx'
import { inputsOf } from '../../ui/form/fields.ts'
import { notifySuccess } from '../../ui/toasts.ts'
import css from './own.module.css'
import passwordCss from './profile.module.css'
import { useSessionReview } from './session-review.tsx'

const reasonId = 'only-sign-in-method'

export function SignInMethods({ user: { providers: links } }: { user: SessionUser }) {
  const { data: offered } = useQuery(providersQuery)
  useLinkedToast(links)
  const works = ({ providerId }: ProviderLink) =>
    providerId === credentialsProvider || (offered ?? []).some(({ id }) => id === providerId)
  const canUnlink = (link: ProviderLink) => links.some((other) => !isSameMethod(other, link) && works(other))
  // Without an alternative, there is nothing to unlink.
  const hasChoice = links.length > 1 || (offered ?? []).length > 0
  return (
    <Section title="Connected Providers" note="Accounts you can sign in with.">
      <ProviderLinks
        links={links}
        heads={['Provider', 'ID', 'Username', 'Profile link']}
        act={hasChoice ? 'Unlink' : undefined}
        actOf={(link, name) => (
          <Unlink link={link} name={name} keptBy={offered && !canUnlink(link) ? reasonId : undefined} />
        )}
      />
      {hasChoice && offered && !links.every(canUnlink) && (
        <p id={reasonId} className={css.note}>
          You can't unlink your only sign-in method.
        </p>
      )}
      <MoreSignInMethods links={links} />
    </Section>
  )
}

function MoreSignInMethods({ links }: { links: readonly ProviderLink[] }) {
  const { data: providers = [] } = useQuery(providersQuery)
  const leave = useRedirectToProvider('POST /api/auth/link-social', '/user')
  if (providers.length === 0) return null
  return (
    <Buttons>
      {providers.map(({ id, name }) => (
        <Button
          key={id}
          disabled={leave.isPending}
          onClick={() => {
            rememberLinking(links, { id, name })
            leave.mutate(id)
          }}
        >
          <ProviderMark id={id} size={15} />
          {links.some(({ providerId }) => providerId === id) ? `Link another ${name} account` : `Link ${name}`}
        </Button>
      ))}
    </Buttons>
  )
}

const key = 'toolbox.linking'
// The page being left may still receive the new link, but only the page after the return shows the toast.
const thisPage = performance.timeOrigin
const countOf = (links: readonly ProviderLink[], id: string) => links.filter((link) => link.providerId === id).length

/** Remembers in this tab that the user left to link an account of this provider. */
const rememberLinking = (links: readonly ProviderLink[], provider: { id: string; name: string }) =>
  writeStorage(key, `${thisPage} ${countOf(links, provider.id)} ${provider.id} ${provider.name}`, 'sessionStorage')

/** Shows a toast if the user left to link an account and now has one more. */
function useLinkedToast(links: readonly ProviderLink[]) {
  useEffect(() => {
    const [, startPage, before, id = '', name] =
      /^(\S+) (\d+) (\S+) (.+)$/.exec(readStorage(key, 'sessionStorage') ?? '') ?? []
    if (Number(startPage) === thisPage) return
    writeStorage(key, null, 'sessionStorage')
    if (name && countOf(links, id) > Number(before)) notifySuccess(`Linked ${name}. You can now sign in with it.`)
  }, [links])
}

function consequence({ providerId, accountId, accountUsername }: ProviderLink): string {
  if (providerId === credentialsProvider)
    return 'This removes your username and password. Only an admin can set new ones.'
  return `You won't be able to sign in with the account ${accountUsername ?? accountId}. Nothing else changes.`
}

/** Unlinks a sign-in method after a confirmation; `keptBy` is the id of the text that explains why it can't be. */
function Unlink({ link, name, keptBy }: { link: ProviderLink; name: string; keptBy: string | undefined }) {
  const { providerId, accountId } = link
  const unlink = useCall('DELETE /api/v1/user/provider', { onSettled: () => reload(sessionQuery) })
  return (
    <ConfirmButton
      size="small"
      aria-label={`Unlink ${name} ${link.accountUsername ?? link.accountId}`}
      aria-disabled={keptBy !== undefined}
      aria-describedby={keptBy}
      title={`Unlink ${name} ?`}
      description={consequence(link)}
      yes="Unlink"
      act={unlink}
      input={{ providerId, accountId }}
      done={`Unlinked ${name}.`}
    >
      Unlink
    </ConfirmButton>
  )
}

const blank = { current: '', password: '' }

/** Changes the user's own password, which ends their other sessions. */
export function OwnPassword({ username }: { username: string }) {
  const [asking, setAsking] = useState(false)
  const [saved, setSaved] = useState(blank)
  const draft = useDraft(saved)
  const { data: state } = useQuery(callQuery('GET /api/v1/user/password'))
  const { review, dialog } = useSessionReview()
  const change = useCall('PATCH /api/v1/user/password', {
    onSuccess: () => {
      notifySuccess('Successfully updated credentials.')
      void reload('GET /api/v1/user/password')
    },
    meta: { quiet: true },
  })
  const endedCount = useRef(0)
  const close = () => {
    draft.reset()
    setSaved(blank)
    setAsking(false)
    // Not earlier: a dialog would take the focus from the form.
    if (endedCount.current > 0) void review()
    endedCount.current = 0
  }
  const form = useDialogForm({
    open: asking,
    draft,
    body: () => draft.values,
    mutation: change,
    onAnswer: ({ ended }) => {
      endedCount.current += ended
      // A password typed meanwhile replaces the one just saved.
      setSaved({ current: draft.values.password, password: '' })
    },
    onFailed: (error) => showServerErrorsOrNotify(draft, error),
    onSaved: close,
  })
  const field = inputsOf(draft)
  return (
    <Section title="Password" note="Changing it signs you out on other devices.">
      {state?.givenAt != null && (
        <Warning>Your password was set by an admin. Change it to keep your account private.</Warning>
      )}
      {!asking && (
        <div className={passwordCss.closed}>
          <p>
            Username: <b>{username}</b>
          </p>
          <Button onClick={() => setAsking(true)}>Change password</Button>
        </div>
      )}
      {asking && (
        <Form className={passwordCss.form} onSend={form.onSave}>
          <TextField label="Username" value={username} readOnly autoComplete="username" />
          <TextField
            {...field('current')}
            label="Current password"
            type="password"
            autoComplete="current-password"
            required
            autoFocus
          />
          <NewPasswordField
            {...field('password')}
            label="New password"
            required
            also="You'll be signed out on other devices."
          />
          <Buttons>
            <button type="submit" className={buttonClass({ tone: 'primary' })} aria-disabled={form.busy}>
              Change password
            </button>
            <Button onClick={close}>Cancel</Button>
          </Buttons>
        </Form>
      )}
      {dialog}
    </Section>
  )
}
