import { useIsMutating, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Monitor, Smartphone, Terminal } from 'lucide-react'
import { deviceOf } from '../../shared/device.ts'
import type { OwnSession } from '../../sign-in/contract.ts'
import { Button } from '../../ui/components/button.tsx'
import { LoadFailed } from '../../ui/components/load-failed.tsx'
import { Ago, Moment } from '../../ui/components/moment.tsx'
import { Tag } from '../../ui/components/pill.tsx'
import { Section } from '../../ui/components/section.tsx'
import table from '../../ui/components/small-table.module.css'
import { SmallTable, useFold } from '../../ui/components/small-table.tsx'
import { callQuery, useCall, whenDone } from '../../ui/data/call.ts'
import { signingOut, signOut } from '../../ui/data/session.ts'
import { notifySuccess } from '../../ui/toasts.ts'
import { reloadWithActivity } from './load.ts'
import own from './own.module.css'
import { useSessionReview } from './session-review.tsx'

/** Sorts this browser's session first, then by last use. */
const currentFirst = (sessions: readonly OwnSession[]) =>
  sessions.toSorted((a, b) => Number(b.current) - Number(a.current) || b.lastUsedAt - a.lastUsedAt)

export function Sessions() {
  const query = useQuery(callQuery('GET /api/v1/user/sessions'))
  const sessions = query.data
  const { visibleItems, more } = useFold(currentFirst(sessions ?? []))
  const sessionReview = useSessionReview()
  return (
    <Section title="Sessions" note="Devices that are signed in to your account.">
      <LoadFailed queries={[query]} />
      {sessions && (
        <SmallTable heads={['Device', 'Address', 'Last active']} act="Sign out">
          {visibleItems.map((session) => (
            <Row key={session.id} session={session} />
          ))}
        </SmallTable>
      )}
      {more}
      {sessions && sessions.length > 1 && <EndOthers onEnded={sessionReview.review} />}
      {sessionReview.dialog}
    </Section>
  )
}

const useEndSessions = () =>
  useCall('DELETE /api/v1/user/sessions', {
    // Also after an error: if the session has already ended, the list is outdated.
    onSettled: () => reloadWithActivity('GET /api/v1/user/sessions'),
  })

function EndOthers({ onEnded }: { onEnded: () => Promise<void> }) {
  const end = useEndSessions()
  const tell = ({ ended }: { ended: number }) => {
    notifySuccess(ended === 1 ? 'Signed out 1 device.' : `Signed out ${ended} devices.`)
    void onEnded()
  }
  return (
    <Button
      size="small"
      disabled={end.isPending}
      onClick={() => void whenDone(end.mutateAsync({ others: 'true' }), tell)}
    >
      Sign out other devices
    </Button>
  )
}

const icons = { computer: Monitor, pocket: Smartphone, program: Terminal }

function Row({ session }: { session: OwnSession }) {
  const { name, kind } = deviceOf(session.userAgent)
  const Icon = icons[kind]
  return (
    <tr>
      <td>
        <span className={table.lead} title={session.userAgent ?? undefined}>
          <Icon size={16} aria-hidden="true" />
          <span>{name}</span>
          {session.current && <Tag text="This device" />}
        </span>
        <small className={own.none}>
          Signed in <Ago at={session.createdAt} />
        </small>
      </td>
      <td data-label="Address" className={table.short} title={session.address ?? undefined}>
        {session.address ?? '–'}
      </td>
      <td data-label="Last active">
        <Moment at={session.lastUsedAt} />
      </td>
      <td className={table.act}>{session.current ? <SignOut /> : <End id={session.id} name={name} />}</td>
    </tr>
  )
}

function End({ id, name }: { id: string; name: string }) {
  const end = useEndSessions()
  const tell = () => notifySuccess(`Signed out ${name}.`)
  return (
    <Button
      size="small"
      aria-label={`Sign out ${name}`}
      disabled={end.isPending}
      onClick={() => void whenDone(end.mutateAsync({ id }), tell)}
    >
      Sign out
    </Button>
  )
}

function SignOut() {
  const navigate = useNavigate()
  const isPending = useIsMutating({ mutationKey: signingOut }) > 0
  return (
    <Button size="small" disabled={isPending} onClick={() => void signOut(() => void navigate({ to: '/' }))}>
      Sign out
    </Button>
  )
}
