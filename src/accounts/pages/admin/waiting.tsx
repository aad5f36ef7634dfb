import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import css from './admin.module.css'
import { inactiveQuery } from './calls.ts'
import { modifyUserPath } from './paths.ts'

const shown = 5
const none = { rows: [], total: 0 }

/** Links to users who signed up and were never active, newest first. */
export function Waiting() {
  const { data: inactive = none } = useQuery(inactiveQuery)
  const waiting = inactive.rows.filter(({ logInCount }) => logInCount === 0)
  if (waiting.length === 0) return null
  const more = waiting.length - shown
  return (
    <section className={css.waiting} aria-label="Awaiting approval">
      <b>
        {inactive.total > inactive.rows.length && 'More than '}
        {waiting.length === 1 ? '1 account' : `${waiting.length} accounts`} awaiting approval:
      </b>
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
