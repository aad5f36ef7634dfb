import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { pages } from '../../../shared/pages.ts'
import { can } from '../../../shared/user.ts'
import { Button } from '../../../ui/components/button.tsx'
import { Ago } from '../../../ui/components/moment.tsx'
import { callQuery } from '../../../ui/data/call.ts'
import { useSessionUser } from '../../../ui/data/session.ts'
import { formatTime } from '../../../ui/format-time.ts'
import { lazyDialog } from '../../../ui/navigation/lazy.ts'
import type { OwnRequest } from '../../access/contract.ts'
import css from './access.module.css'

/** The user's latest request; reloads on inbox events, which announce decisions. */
const ownRequestQuery = queryOptions({
  ...callQuery('GET /api/v1/user/access-request'),
  meta: { about: { topic: 'inbox' }, quiet: true },
})

const useAskModal = lazyDialog(async () => (await import('./ask-modal.tsx')).AskModal)

/** Lets users without access to the tools ask for it. `boxed` is for the error page, which already says why. */
export function AskForAccess({ boxed = false }: { boxed?: boolean }) {
  const user = useSessionUser()
  const { data: request } = useQuery(ownRequestQuery)
  if (user && can(user, 'Admin', 2))
    return (
      <p className={css.words}>
        You don't have access to the tools. As an admin, you can grant it to yourself under{' '}
        <Link to={pages.editUser.path} search={{ email: user.email }}>
          Edit User
        </Link>
        .
      </p>
    )
  if (!request) return null
  const isNews = request.state !== 'none' && request.state !== 'closed'
  return (
    <div className={css.ask} data-boxed={boxed || undefined}>
      {(isNews || !boxed) && (
        <p className={css.words} role="status">
          <Words request={request} />
        </p>
      )}
      <AskButton request={request} size={boxed ? 'wide' : 'medium'} />
    </div>
  )
}

function Words({ request: { at, state, nextAt } }: { request: OwnRequest }) {
  if (state === 'open' && at !== null)
    return (
      <>
        You asked for access <Ago at={at} />. The tools will open here as soon as an admin approves.
      </>
    )
  const next = nextAt === null ? 'You can ask again.' : `You can ask again from ${formatTime(nextAt)}.`
  if (state === 'declined') return `An admin has declined your request for access. ${next}`
  if (state === 'approved' && nextAt !== null)
    return `An admin has approved your request, but hasn't given you access to the tools yet. ${next}`
  return `You don't have access to the tools yet. Ask an admin for access.${nextAt === null ? '' : ` ${next}`}`
}

/** A request sent in another tab hides the button, but the open dialog stays: it shows why another one is refused. */
function AskButton({ request, size }: { request: OwnRequest; size: 'wide' | 'medium' }) {
  const { Dialog, turn, open, close, opener } = useAskModal()
  return (
    <>
      {request.nextAt === null && (
        <Button tone="primary" size={size} {...opener}>
          {request.state === 'open' ? 'Ask again' : 'Request access'}
        </Button>
      )}
      {Dialog && <Dialog key={turn} open={open} onClose={close} />}
    </>
  )
}
