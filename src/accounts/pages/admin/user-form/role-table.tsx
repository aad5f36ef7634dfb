import { useId } from 'react'
import { accessLevels, type Roles, roleNames } from '../../../../shared/user.ts'
import { Part } from '../../../../ui/components/page.tsx'
import { Refused } from './refused.tsx'
import css from './user-form.module.css'

const levels = [0, 1, 2] as const

/** A row for each role, in which one of the levels is chosen. */
export function RoleTable(props: { roles: Roles; error: string | undefined; onChange: (roles: Roles) => void }) {
  const id = useId()
  const { roles, error, onChange } = props
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
          {roleNames.map((role) => (
            <tr key={role}>
              <th scope="row">{role}</th>
              {levels.map((level) => (
                <td key={level}>
                  <label className={css.level}>
                    <input
                      type="radio"
                      name={`${id}-${role}`}
                      aria-label={`${role}: ${accessLevels[level]}`}
                      checked={roles[role] === level}
                      onChange={() => onChange({ ...roles, [role]: level })}
                    />
                  </label>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Refused reason={error} />
    </Part>
  )
}
