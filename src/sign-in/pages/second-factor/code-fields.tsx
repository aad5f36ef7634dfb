import { TextField } from '../../../ui/form/field.tsx'

type CodeProps = { value: string; error?: string | undefined; autoFocus?: boolean; onChange: (text: string) => void }

export const AppCodeField = (props: CodeProps) => (
  <TextField
    label="Code"
    hint="The 6 digits your authenticator app shows."
    inputMode="numeric"
    autoComplete="one-time-code"
    maxLength={9}
    required
    code
    {...props}
  />
)

export const RecoveryCodeField = (props: CodeProps) => (
  <TextField
    label="Recovery code"
    hint="Each of your recovery codes works once."
    autoComplete="off"
    autoCapitalize="none"
    spellCheck={false}
    maxLength={40}
    required
    code
    {...props}
  />
)
