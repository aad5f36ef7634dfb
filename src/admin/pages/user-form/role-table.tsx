import { Fragment, type ReactNode, useId } from 'react'
import { roleSentences, shownRoles } from '../../../people/pages/role-labels.ts'
import { accessLevels, type Roles } from '../../../shared/user.ts'
import { Part } from '../../../ui/components/page.tsx'
import css from './user-form.module.css'

const levels = [0, 1, 2] as const

/** A row for each role, in which one of the levels is chosen, and below it what that means. */
export function RoleTable(props: {
  roles: Roles
  error: string | undefined
  onChange: (roles: Roles) => void
  /** More about the roles, below the table. */
  children?: ReactNode
}) {
  const id = useId()
  const { roles, error, onChange } = props
  const aboutOf = (role: string) => `${id}-about-${role}`
  return (
    <Part aria-label="Roles">
      <h2>Roles</h2>
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
    </Part>
  )
}

/** The error of a part of the form that has more than one field. */
export function Refused({ reason }: { reason: string | undefined }) {
  if (!reason) return null
  return (
    <p className={css.refused} role="alert">
      {reason}
    </p>
  )
}
