import css from './user-form.module.css'

/** Why the server refused a part of the form that is more than one field. */
export function Refused({ reason }: { reason: string | undefined }) {
  if (!reason) return null
  return (
    <p className={css.refused} role="alert">
      {reason}
    </p>
  )
}
