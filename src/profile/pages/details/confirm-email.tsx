import { useQuery } from '@tanstack/react-query'
import { isLost } from '../../../people/contract.ts'
import { seconds } from '../../../shared/time.ts'
import { useIsPast } from '../../../ui/clock.ts'
import { Button } from '../../../ui/components/button.tsx'
import { useCall } from '../../../ui/data/call.ts'
import { queryClient } from '../../../ui/data/query.ts'
import { useSendsMail } from '../../../ui/data/server-config.ts'
import { formatAge, formatSince } from '../../../ui/format-time.ts'
import { timeNow } from '../../../ui/time-now.ts'
import { ownEmailQuery, reloadDetails } from '../load.ts'
import css from '../profile.module.css'

/** How an unverified email is confirmed, and what became of the link. */
export function ConfirmEmail({ email }: { email: string }) {
  const sendsMail = useSendsMail()
  if (isLost(email))
    return <p className={css.confirm}>Someone else confirmed your email as theirs. Enter another one.</p>
  return sendsMail ? <Confirming /> : null
}

function Confirming() {
  const { data } = useQuery({
    ...ownEmailQuery,
    // Until it is known whether the link has left.
    refetchInterval: ({ state }) => {
      const link = state.data?.link
      return link && link.sentAt === null && link.expiresAt > timeNow() ? seconds(5) : false
    },
  })
  const mail = useCall('POST /api/v1/user/email/link', {
    onSuccess: (email) => queryClient.setQueryData(ownEmailQuery.queryKey, email),
    onError: reloadDetails,
  })
  const link = data?.link
  const isOver = useIsPast(link?.expiresAt ?? null)
  const mayAsk = useIsPast(link?.nextAt ?? null) || link === null
  if (!data || data.verified) return null
  return (
    <>
      <p className={css.confirm} role="status">
        {link ? inWords(link, isOver, mayAsk) : 'Confirm it to be able to reset a forgotten password.'}
      </p>
      {mayAsk && (
        <Button size="small" disabled={mail.isPending} onClick={() => mail.mutate()}>
          {link ? 'Send a new link' : 'Confirm your email'}
        </Button>
      )}
    </>
  )
}

type Link = { sentAt: number | null; expiresAt: number; nextAt: number; note: string | null }

function inWords({ sentAt, expiresAt, nextAt, note }: Link, isOver: boolean, mayAsk: boolean): string {
  if (sentAt === null && isOver) return `We couldn't send a link${note ? `: ${note}` : ''}.`
  if (sentAt === null) return note ? `We couldn't send a link yet and will try again: ${note}.` : 'Sending a link…'
  if (!isOver) return `We've sent you a link. Open it by ${formatSince(expiresAt)} to confirm your email.`
  return `The link we sent has expired.${mayAsk ? '' : ` You can send a new one ${formatAge(nextAt)}.`}`
}
