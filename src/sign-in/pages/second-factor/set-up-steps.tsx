import { Copy } from 'lucide-react'
import { useState } from 'react'
import { Button, Buttons } from '../../../ui/components/button.tsx'
import { copy } from '../../../ui/components/copy.ts'
import { Form } from '../../../ui/components/form.tsx'
import { reason } from '../../../ui/data/api.ts'
import { type Answer, whenDone } from '../../../ui/data/call.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { useEnterCode, usePrepare } from './calls.ts'
import { AppCodeField } from './code-fields.tsx'
import { PasswordStep } from './password-step.tsx'
import { QrCode } from './qr-code.tsx'
import { RecoveryCodeList } from './recovery-codes.tsx'
import css from './second-factor.module.css'

type Prepared = Answer<'POST /api/auth/two-factor/enable'>

/** Sets up an authenticator app: password, recovery codes, then the app's first code. */
export function SetUpSteps({ onDone, onCancel }: { onDone: () => void; onCancel?: () => void }) {
  const prepare = usePrepare()
  const [prepared, setPrepared] = useState<Prepared>()
  const [hasCodes, setHasCodes] = useState(false)
  if (!prepared)
    return (
      <div className={css.steps}>
        <p>You need an authenticator app, such as the one on your phone or in your password manager.</p>
        <PasswordStep act={prepare} verb="Continue" onDone={setPrepared} onCancel={onCancel} />
      </div>
    )
  if (!hasCodes)
    return (
      <div className={css.steps}>
        <p>
          Keep these recovery codes somewhere safe. If you lose your device, each of them lets you sign in once. You
          won't be able to see them again.
        </p>
        <RecoveryCodeList codes={prepared.backupCodes} />
        <div className={css.actions}>
          <Button tone="primary" onClick={() => setHasCodes(true)}>
            I've saved them
          </Button>
        </div>
      </div>
    )
  return <AppStep prepared={prepared} onDone={onDone} onCancel={onCancel} />
}

function AppStep(props: { prepared: Prepared; onDone: () => void; onCancel?: (() => void) | undefined }) {
  const { totpURI, key } = props.prepared
  const [code, setCode] = useState('')
  const enter = useEnterCode()
  return (
    <div className={css.steps}>
      <p>Scan this with your authenticator app, or type in the key. Then enter the code it shows.</p>
      <QrCode text={totpURI} label="QR code for your authenticator app" />
      <TextField label="Key" code readOnly value={key} onFocus={(event) => event.target.select()} />
      <Buttons>
        <Button size="small" onClick={() => void copy(key, 'the key')}>
          <Copy size={13} aria-hidden="true" />
          Copy key
        </Button>
      </Buttons>
      <Form
        className={css.form}
        onSend={() => {
          if (enter.isPending) return
          const entered = enter.mutateAsync(
            { code, isRecovery: false },
            { onError: () => setCode((now) => (now === code ? '' : now)) },
          )
          void whenDone(entered, props.onDone)
        }}
      >
        <AppCodeField
          value={code}
          error={enter.error && !code ? reason(enter.error) : undefined}
          autoFocus
          onChange={setCode}
        />
        <div className={css.actions}>
          {props.onCancel && <Button onClick={props.onCancel}>Cancel</Button>}
          <Button type="submit" tone="primary" disabled={enter.isPending}>
            Turn on
          </Button>
        </div>
      </Form>
    </div>
  )
}
