import type { ReactNode } from 'react'
import { ownTabsFor } from '../../people/pages/own-tabs.ts'
import { PageHead } from '../../ui/components/page/page.tsx'
import { useSessionUser } from '../../ui/data/session.ts'
import { useTitle } from '../../ui/navigation/title.ts'
import { RecentActivity } from './activity.tsx'
import { Keys } from './api-keys/keys.tsx'
import { Details, Roles } from './details/details.tsx'
import css from './own.module.css'
import { OwnPassword } from './own-password.tsx'
import { Sessions } from './sessions.tsx'
import { SignInMethods } from './sign-in-methods.tsx'
import { Passkeys } from './two-step/passkeys.tsx'
import { TwoStep } from './two-step/two-step.tsx'

/** The user's own account: details, sign-in methods, sessions, API keys, further cards and recent activity. */
export function ProfilePage({ children }: { children?: ReactNode }) {
  useTitle('User Profile')
  const user = useSessionUser()
  if (!user) return null
  return (
    <>
      <PageHead title={user.name} tabs={ownTabsFor(user)} tabsLabel="Your account">
        Your account
      </PageHead>
      <div className={css.cards}>
        <div className={user.credUsername ? css.stack : css.pair}>
          <Details user={user} />
          <Roles user={user} />
        </div>
        {user.credUsername && <OwnPassword username={user.credUsername} />}
        <SignInMethods user={user} />
        <TwoStep />
        <Passkeys />
        <Sessions />
        <Keys />
        {children}
        <RecentActivity />
      </div>
    </>
  )
}
