import type { ReactNode } from 'react'
import { Button } from '../../../ui/components/button.tsx'
import { Moment } from '../../../ui/components/moment.tsx'
import { Part } from '../../../ui/components/page/page.tsx'
import type { User } from '../../contract.ts'
import { useEndSessionsOf } from '../calls.ts'
import css from './user-form.module.css'

/** When and how often a user was here, which nobody can edit. */
export function Usage({ user }: { user: User }) {
  return (
    <Part className={css.wide} aria-label="Usage">
      <div className={css.head}>
        <h2>Usage</h2>
        {user.sessions > 0 && <EndSessions user={user} />}
      </div>
      <dl className={css.facts}>
        <Fact name="Last Usage Timestamp">
          <Moment at={user.lastUsageTimestamp} />
        </Fact>
        <Fact name="Log In Count">{user.logInCount}</Fact>
        <Fact name="Sessions">{user.sessions}</Fact>
        <Fact name="Created Timestamp">
          <Moment at={user.createdAt} />
        </Fact>
        <Fact name="Updated Timestamp">
          <Moment at={user.updatedAt} />
        </Fact>
      </dl>
    </Part>
  )
}

function EndSessions({ user }: { user: User }) {
  const end = useEndSessionsOf()
  return (
    <Button size="small" disabled={end.isPending} onClick={() => end.mutate({ id: user.id })}>
      End Sessions
    </Button>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
