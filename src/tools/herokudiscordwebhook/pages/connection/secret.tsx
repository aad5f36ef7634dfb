import { Copy, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useIsPast } from '../../../../ui/clock.ts'
import { Button } from '../../../../ui/components/button.tsx'
import { copy } from '../../../../ui/components/copy.ts'
import { SwitchField, TextField } from '../../../../ui/form/field.tsx'
import { formatTime } from '../../../../ui/format-time.ts'
import { useNewSecret, useSaved } from '../calls.ts'
import css from '../fields.module.css'
import type { Settings } from '../relay.ts'

type Secret = Settings['secret']
type Props = { id: string | undefined; secret: Secret; error: string | undefined; onChange: (secret: Secret) => void }

/** The secret that Heroku signs with, or none. For a new entry the server can generate it. */
export function SecretField({ id, secret, error, onChange }: Props) {
  const entry = useSaved(id)
  const saved = entry?.secret
  const ends = entry?.previousSecretUntil ?? null
  const isOver = useIsPast(ends)
  const until = ends === null || isOver ? undefined : ends
  const checked = secret !== null
  const offHint = saved ? `${open} Saving deletes the secret.` : open
  const switchOn = () => onChange(id === undefined ? undefined : (saved ?? generateSecret()))
  return (
    <>
      <SwitchField
        label="Check signatures"
        hint={checked ? "Reject deliveries that aren't signed with the secret." : offHint}
        checked={checked}
        onChange={(on) => (on ? switchOn() : onChange(null))}
      />
      {checked && (
        <div className={css.secret}>
          <TextField
            label="Secret"
            code
            placeholder={id === undefined ? 'Leave empty to generate one' : ''}
            hint={hintFor(id, saved, until)}
            value={secret ?? ''}
            error={error}
            autoComplete="off"
            spellCheck={false}
            onText={(text) => onChange(text === '' ? undefined : text)}
          />
          {id !== undefined && <Actions id={id} secret={secret ?? ''} isSaved={secret === saved} until={until} />}
        </div>
      )}
    </>
  )
}

/** A new secret, as hard to guess as those that the server generates. */
const generateSecret = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, '0')).join('')

const open = 'Off: anyone who knows the endpoint can post to your channel.'

function hintFor(id: string | undefined, saved: Secret, until: number | undefined): string {
  if (id === undefined) return 'Or paste your own: 16 to 256 characters.'
  if (!saved)
    return 'New secret: save it, then set it in Heroku with the command. Deliveries signed otherwise will be rejected.'
  if (until !== undefined) return 'Paste or generate a new secret. Only this one stays valid for another 24 hours.'
  return 'Paste or generate a new secret. The old one stays valid for 24 hours.'
}

type Kept = { id: string; secret: string; isSaved: boolean; until: number | undefined }

function Actions({ id, secret, isSaved, until }: Kept) {
  const newSecret = useNewSecret()
  // Hidden after a new secret, so that a second click doesn't generate another.
  const [isNew, setNew] = useState(false)
  const renew = () => newSecret.mutate(id, { onSuccess: () => setNew(true) })
  return (
    <>
      <div className={css.buttons}>
        <Button size="small" aria-label="Copy Secret" onClick={() => void copy(secret, 'the secret')}>
          <Copy size={13} aria-hidden="true" />
          Copy
        </Button>
        {!isNew && (
          <Button size="small" disabled={!isSaved || newSecret.isPending} onClick={renew}>
            <RefreshCw size={13} aria-hidden="true" />
            {until === undefined ? 'New secret' : 'New secret, revoke the old one now'}
          </Button>
        )}
      </div>
      <p className={css.told} role="status">
        {until !== undefined &&
          `The old secret is valid until ${formatTime(until)}. Set this one in Heroku by then. Generating another one revokes it immediately.`}
      </p>
    </>
  )
}
