import type { ReactNode } from 'react'
import { Moment } from '../../../../ui/components/moment.tsx'
import { Part } from '../../../../ui/components/page.tsx'
import type { User } from '../../../admin/contract.ts'
import css from './user-form.module.css'

/** What the server counts of a user; nobody sets it. */
export function Usage({ saved }: { saved: User | undefined }) {
  return (
    <Part className={css.wide} aria-label="Usage">
      <h2>Usage</h2>
      <dl className={css.facts}>
        <Fact name="Last Usage Timestamp">
          <Moment at={saved?.lastUsageTimestamp} />
        </Fact>
        <Fact name="Log In Count">{saved?.logInCount ?? '–'}</Fact>
        <Fact name="Created Timestamp">
          <Moment at={saved?.createdAt} />
        </Fact>
        <Fact name="Updated Timestamp">
          <Moment at={saved?.updatedAt} />
        </Fact>
      </dl>
    </Part>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
