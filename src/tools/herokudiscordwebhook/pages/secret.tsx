import { Copy, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { SwitchField, TextField } from '../../../web/form/field.tsx'
import { stamp } from '../../../web/stamp.ts'
import { Button } from '../../../web/ui/button.tsx'
import { copy } from '../../../web/ui/copy.ts'
import { useNewSecret, useSaved } from './calls.ts'
import css from './fields.module.css'
import type { Settings } from './relay.ts'
import { madeUpSecret } from './secret-words.ts'

type Secret = Settings['secret']
type Props = { id: string | undefined; secret: Secret; error: string | undefined; onChange: (secret: Secret) => void }

/** What Heroku signs with, or nothing at all. An entry that is not saved yet may leave it to the server to make one up. */
export function SecretField({ id, secret, error, onChange }: Props) {
  const saved = useSaved(id)?.secret
  const checked = secret !== null
  const switchOn = () => onChange(id === undefined ? undefined : (saved ?? madeUpSecret()))
  return (
    <>
      <SwitchField
        label="Check signatures"
        hint={
          checked
            ? 'Only what Heroku has signed with the secret is taken.'
            : 'Off: whoever learns the endpoint can post to your channel.'
        }
        checked={checked}
        onChange={(on) => (on ? switchOn() : onChange(null))}
      />
      {checked && (
        <div className={css.secret}>
          <TextField
            label="Secret"
            code
            placeholder={id === undefined ? 'Left empty, one is made up' : ''}
            hint={id === undefined ? 'Or paste one of your own: 16 to 256 characters.' : overlap}
            value={secret ?? ''}
            error={error}
            autoComplete="off"
            spellCheck={false}
            onText={(text) => onChange(text === '' ? undefined : text)}
          />
          {id !== undefined && <Actions id={id} secret={secret ?? ''} isSaved={secret === saved} />}
        </div>
      )}
    </>
  )
}

const overlap = 'Paste another, or have one made: the one before counts for 24 hours more.'

function Actions({ id, secret, isSaved }: { id: string; secret: string; isSaved: boolean }) {
  const make = useNewSecret()
  const [until, setUntil] = useState<number>()
  const renew = () => make.mutate(id, { onSuccess: ({ previousUntil }) => setUntil(previousUntil ?? undefined) })
  return (
    <>
      <div className={css.buttons}>
        <Button size="small" aria-label="Copy Secret" onClick={() => void copy(secret, 'the secret')}>
          <Copy size={13} aria-hidden="true" />
          Copy
        </Button>
        {until === undefined && (
          <Button size="small" disabled={!isSaved || make.isPending} onClick={renew}>
            <RefreshCw size={13} aria-hidden="true" />
            New secret
          </Button>
        )}
      </div>
      <p className={css.told} role="status">
        {until !== undefined &&
          `This secret is new. The one before counts until ${stamp(until)}: give Heroku the new one by then.`}
      </p>
    </>
  )
}
