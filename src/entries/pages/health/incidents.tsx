import { type Dispatch, type ReactNode, type SetStateAction, useState } from 'react'
import { useTimeDependent } from '../../../ui/clock.ts'
import { Button } from '../../../ui/components/button.tsx'
import { Form } from '../../../ui/components/form.tsx'
import { Moment } from '../../../ui/components/moment.tsx'
import { Card } from '../../../ui/components/page.tsx'
import { ShowOlder } from '../../../ui/components/show-older.tsx'
import { type PagedQuery, reload, useCall } from '../../../ui/data/call.ts'
import { useSessionUser } from '../../../ui/data/session.ts'
import { useLeaveGuard } from '../../../ui/form/editor.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { formatSpan } from '../../../ui/format-time.ts'
import { timeNow } from '../../../ui/time-now.ts'
import type { Incident } from '../../contract.ts'
import type { Detail } from '../tool-pages.ts'
import css from './incidents.module.css'
import { formatNext } from './status.tsx'

type NoteDraft = { incident: Incident; text: string }

export function OpenIncident({ entry, incident }: { entry: Detail; incident: Incident | undefined }) {
  const { failingSince, health, history, lastRun, nextRunAt, notifyAfter } = entry
  const lasted = useTimeDependent(failingSince, () =>
    failingSince === null ? '' : formatSpan(timeNow() - failingSince),
  )
  const next = useTimeDependent(nextRunAt, () => (nextRunAt === null ? '' : formatNext(nextRunAt)))
  const [draft, setDraft] = useState<NoteDraft>()
  // While a note is typed, its incident stays on screen, even if it closes.
  const noted = draft && draft.incident.id !== incident?.id ? draft.incident : incident
  const note = noted && <Note key={noted.id} incident={noted} entry={entry} draft={draft} onDraft={setDraft} />
  if (failingSince === null || (health !== 'failing' && health !== 'blocked'))
    return (
      draft && (
        <Card className={css.card} aria-label="Closed incident">
          <h2>Closed incident</h2>
          {note}
        </Card>
      )
    )
  const failed = history.filter(({ success, timestamp }) => !success && timestamp >= failingSince).length
  const isPartial = (history.at(-1)?.timestamp ?? failingSince) > failingSince
  const inARow = notifyAfter === 1 ? '1 failure' : `${notifyAfter} failures in a row`
  return (
    <Card className={css.card} aria-label="Open incident">
      <h2>
        {incident ? 'Open incident' : 'Failing, not an incident yet'}
        <small>
          {isPartial && 'At least '}
          {failed === 1 ? '1 failed run' : `${failed} failed runs`} · {lasted}
        </small>
      </h2>
      <ol className={css.steps}>
        <Step title="First failure" at={failingSince} look="bad">
          {incident?.cause ?? history.findLast(({ timestamp }) => timestamp === failingSince)?.note}
        </Step>
        {incident ? (
          <Step title="Incident opened" at={incident.openedAt} look="bad">
            {health === 'blocked' ? 'Discord rejects the webhook' : inARow}
          </Step>
        ) : (
          <Step title="An incident opens" at={null} look="next">
            After {inARow}
          </Step>
        )}
        {lastRun && !lastRun.success && lastRun.timestamp > failingSince && (
          <Step title="Latest failure" at={lastRun.timestamp} look="bad">
            {lastRun.note}
          </Step>
        )}
        {nextRunAt !== null && (
          <Step title="Next run" at={nextRunAt} look="next">
            {next}
          </Step>
        )}
      </ol>
      {note}
    </Card>
  )
}

/** An incident's note, which the owner's status page shows. Only the owner can edit it. */
function Note(props: {
  incident: Incident
  entry: Detail
  draft: NoteDraft | undefined
  onDraft: Dispatch<SetStateAction<NoteDraft | undefined>>
}) {
  const { incident, entry, draft, onDraft } = props
  const isOwner = useSessionUser()?.email === entry.owner
  const saved = incident.note ?? ''
  useLeaveGuard(() => draft !== undefined)
  const save = useCall('PATCH /api/v1/incidents', {
    onSuccess: async (_answer, { note }) => {
      await reload({ queryKey: ['incidents'] })
      onDraft((now) => (now?.text === note ? undefined : now))
    },
  })
  if (!isOwner) return incident.note === null ? null : <p dir="auto">{incident.note}</p>
  const note = draft?.text ?? saved
  return (
    <Form className={css.note} onSend={() => save.mutate({ id: incident.id, note })}>
      <TextField
        label="Note for visitors (optional)"
        value={note}
        maxLength={280}
        autoComplete="off"
        hint="Shown on your status page if this entry is on it."
        onChange={(text) => onDraft(text === saved ? undefined : { incident, text })}
      />
      <Button type="submit" size="small" disabled={save.isPending || note.trim() === saved}>
        Save note
      </Button>
    </Form>
  )
}

type StepProps = { title: string; at: number | null; look: 'bad' | 'next'; children: ReactNode }

const Step = ({ title, at, look, children }: StepProps) => (
  <li data-look={look}>
    <b>{title}</b>
    <span>{children}</span>
    {at !== null && <Moment at={at} />}
  </li>
)

const few = 5

export function PastIncidents({ incidents, query }: { incidents: readonly Incident[]; query: PagedQuery }) {
  const [all, setAll] = useState(false)
  if (incidents.length === 0) return null
  const visible = all ? incidents : incidents.slice(0, few)
  return (
    <Card className={css.card} aria-label="Past incidents">
      <h2>Past incidents</h2>
      <ol className={css.past} aria-label="Past incidents">
        {visible.map(({ id, cause, since, closedAt }) => (
          <li key={id}>
            <span>{cause}</span>
            <span>{closedAt !== null && formatSpan(closedAt - since)}</span>
            <Moment at={since} />
          </li>
        ))}
      </ol>
      {incidents.length > visible.length && (
        <Button size="small" onClick={() => setAll(true)}>
          Show all {incidents.length}
        </Button>
      )}
      {all && <ShowOlder query={query} />}
    </Card>
  )
}
