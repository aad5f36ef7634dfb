import { Link } from '@tanstack/react-router'
import { Inactive } from '../../../shared/user.ts'
import type { ListedUser } from '../../admin/contract.ts'
import css from './admin.module.css'
import { modifyUserPath } from './paths.ts'

const shown = 5

/** Links to users who signed up and were never active, newest first. */
export function Waiting({ users }: { users: readonly ListedUser[] }) {
  const waiting = users
    .filter(({ status, logInCount }) => status === Inactive && logInCount === 0)
    .toSorted((a, b) => b.createdAt - a.createdAt)
  if (waiting.length === 0) return null
  const more = waiting.length - shown
  return (
    <section className={css.waiting} aria-label="Awaiting approval">
      <b>{waiting.length === 1 ? '1 account' : `${waiting.length} accounts`} awaiting approval:</b>
      <ul>
        {waiting.slice(0, shown).map(({ id, email }) => (
          <li key={id}>
            <Link to={modifyUserPath} search={{ email }}>
              {email}
            </Link>
          </li>
        ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
    </section>
  )
}
