import css from './user-form.module.css'

/** The error of a part of the form that has more than one field. */
export function Refused({ reason }: { reason: string | undefined }) {
  if (!reason) return null
  return (
    <p className={css.refused} role="alert">
      {reason}
    </p>
  )
}
