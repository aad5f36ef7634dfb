import type { UseMutationResult } from '@tanstack/react-query'
import { useState } from 'react'
import { hasPassword } from '../../../people/contract.ts'
import { Button } from '../../../ui/components/button.tsx'
import { Form } from '../../../ui/components/form.tsx'
import { fieldErrorsOf, reason } from '../../../ui/data/api.ts'
import { whenDone } from '../../../ui/data/call.ts'
import { useSessionUser } from '../../../ui/data/session.ts'
import { TextField } from '../../../ui/form/field.tsx'
import css from './second-factor.module.css'

/** Asks for the current password if the user has one, then runs `act`. */
export function PasswordStep<Result>(props: {
  act: UseMutationResult<Result, Error, { password?: string | undefined }>
  verb: string
  tone?: 'primary' | 'nuke'
  onDone: (result: Result) => void
  onCancel?: (() => void) | undefined
}) {
  const { act, onDone } = props
  const user = useSessionUser()
  const asksPassword = user != null && hasPassword(user)
  const [password, setPassword] = useState('')
  const error = act.error ? (fieldErrorsOf(act.error).password ?? reason(act.error)) : undefined
  return (
    <Form
      className={css.form}
      onSend={() => {
        if (!act.isPending) void whenDone(act.mutateAsync(asksPassword ? { password } : {}), onDone)
      }}
    >
      {asksPassword && (
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          value={password}
          error={error}
          onChange={(text) => {
            setPassword(text)
            if (!act.isPending) act.reset()
          }}
        />
      )}
      {!asksPassword && error && (
        <p role="alert" className={css.failure}>
          {error}
        </p>
      )}
      <div className={css.actions}>
        {props.onCancel && <Button onClick={props.onCancel}>Cancel</Button>}
        <Button type="submit" tone={props.tone ?? 'primary'} disabled={act.isPending}>
          {props.verb}
        </Button>
      </div>
    </Form>
  )
}
