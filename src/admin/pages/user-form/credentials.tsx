import { KeyRound } from 'lucide-react'
import { Button } from '../../../ui/components/button.tsx'
import { Part } from '../../../ui/components/page/page.tsx'
import { savedFields } from '../../../ui/form/actions/save-button.tsx'
import type { Draft } from '../../../ui/form/draft.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { lazyDialog } from '../../../ui/navigation/lazy.ts'
import type { User } from '../../contract.ts'
import { losesPassword, type UserValues, valuesOf } from './values.ts'

const usePasswordModal = lazyDialog(async () => (await import('./password-modal.tsx')).PasswordModal)

function hintFor(saved: User | undefined, leaving: boolean): string {
  if (leaving) return 'Saving removes the username and password along with the Credentials provider.'
  if (!saved) return 'You can set a password after saving the user with a username.'
  return saved.credUsername ? 'Used to sign in with a password.' : 'Save a username first, then set a password.'
}

/** The username, and the button to set a password. */
export function Credentials(props: { draft: Draft<UserValues>; error: string | undefined; saved?: User }) {
  const { draft, saved } = props
  const { Dialog, open, close, opener } = usePasswordModal()
  const leaving = saved !== undefined && losesPassword(valuesOf(saved), draft.values)
  return (
    <Part aria-label="Credentials">
      <h2>Credentials</h2>
      <TextField
        label="Username"
        form={savedFields}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        disabled={leaving}
        value={leaving ? '' : draft.values.credUsername}
        hint={hintFor(saved, leaving)}
        error={props.error}
        onText={(username) => draft.set('credUsername', username)}
      />
      <div>
        <Button disabled={!saved?.credUsername || leaving} {...opener}>
          <KeyRound size={15} aria-hidden="true" />
          Update Password
        </Button>
      </div>
      {saved && Dialog && <Dialog open={open} user={saved} onClose={close} />}
    </Part>
  )
}
