import { Check, ChevronRight } from 'lucide-react'
import { abilitiesOf } from '../../../people/pages/role-labels.ts'
import type { AccessLevel, Roles } from '../../../shared/user.ts'
import css from './roles.module.css'

/** What a user with this status and these roles can do, unfolded by a press. */
export function Abilities(user: { status: AccessLevel; roles: Roles }) {
  const { blockedBy, can } = abilitiesOf(user)
  return (
    <details className={css.abilities}>
      <summary>
        <ChevronRight size={14} aria-hidden="true" />
        What can this user do?
      </summary>
      {blockedBy && <p>Nothing while the account is {blockedBy}. Once it is active:</p>}
      <ul>
        {can.map((ability) => (
          <li key={ability}>
            <Check size={14} aria-hidden="true" />
            {ability}
          </li>
        ))}
      </ul>
    </details>
  )
}
