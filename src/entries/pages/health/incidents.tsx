import { type Dispatch, type ReactNode, type SetStateAction, useState } from 'react'
import { mostStoredRuns } from '../../../shared/list-terms.ts'
import { useTimeDependent } from '../../../ui/clock.ts'
import { Button } from '../../../ui/components/button.tsx'
import { Form } from '../../../ui/components/form.tsx'
import { Moment } from '../../../ui/components/moment.tsx'
import { Card } from '../../../ui/components/page.tsx'
import { ShowOlder } from '../../../ui/components/show-older.tsx'
import { type PagedQuery, reload, useCall } from '../../../ui/data/call.ts'
import { useSessionUser } from '../../../ui/data/session.ts'
import { lengthNote } from '../../../ui/form/area-field.tsx'
import { useLeaveGuard } from '../../../ui/form/editor.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { formatSpan } from '../../../ui/format-time.ts'
import { timeNow } from '../../../ui/time-now.ts'
import { notifySuccess } from '../../../ui/toasts.ts'
import type { Incident } from '../../contract.ts'
import type { Detail } from '../tool-pages.ts'
import css from './incidents.module.css'
import { formatNext, isTrouble } from './status.tsx'

type NoteDraft = { incident: Incident; text: string }
/** By the ID of the incident. */
type NoteDrafts = Record<string, NoteDraft>

export function OpenIncident({ entry, incident }: { entry: Detail; incident: Incident | undefined }) {
  const { failingSince, health, history, lastRun, nextRunAt, notifyAfter } = entry
  const lasted = useTimeDependent(failingSince, () =>
    failingSince === null ? '' : formatSpan(timeNow() - failingSince),
  )
  const next = useTimeDependent(nextRunAt, () => (nextRunAt === null ? '' : formatNext(nextRunAt)))
  const [drafts, setDrafts] = useState<NoteDrafts>({})
  const noteOf = (of: Incident) => <Note key={of.id} incident={of} entry={entry} drafts={drafts} onDrafts={setDrafts} />
  const isFailing = failingSince !== null && isTrouble(health)
  // While a note is typed, its incident stays on screen, even if it closes.
  const closed = Object.values(drafts)
    .filter(({ incident: { id } }) => !isFailing || id !== incident?.id)
    .toSorted((a, b) => b.incident.since - a.incident.since)
  // The keys keep the focus in the note when its incident closes.
  const cards = closed.map(({ incident }) => (
    <Card key={incident.id} className={css.card} aria-label="Closed incident">
      <h2>
        Closed incident
        <small>
          <Moment at={incident.since} /> · {incident.cause}
        </small>
      </h2>
      {noteOf(incident)}
    </Card>
  ))
  if (!isFailing) return cards
  const failed = history.filter(({ success, timestamp }) => !success && timestamp >= failingSince).length
  const isPartial = (history[mostStoredRuns - 1]?.timestamp ?? failingSince) > failingSince
  const inARow = notifyAfter === 1 ? '1 failure' : `${notifyAfter} failures in a row`
  return [
    <Card key={incident?.id ?? ''} className={css.card} aria-label="Open incident">
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
      {incident && noteOf(incident)}
    </Card>,
    ...cards,
  ]
}

const longestNote = 280

/** An incident's note, which the owner's status page shows. Only the owner can edit it. */
function Note(props: {
  incident: Incident
  entry: Detail
  drafts: NoteDrafts
  onDrafts: Dispatch<SetStateAction<NoteDrafts>>
}) {
  const { incident, entry, drafts, onDrafts } = props
  const isOwner = useSessionUser()?.email === entry.owner
  const saved = incident.note ?? ''
  const note = drafts[incident.id]?.text ?? saved
  const isChanged = note.trim() !== saved
  useLeaveGuard(() => isChanged)
  const save = useCall('PATCH /api/v1/incidents', {
    onSuccess: async (answer, { id, note }) => {
      await reload({ queryKey: ['incidents'] })
      onDrafts((now) => {
        const { [id]: draft, ...others } = now
        if (!draft || draft.text === note) return others
        return { ...now, [id]: { ...draft, incident: { ...draft.incident, ...answer } } }
      })
      notifySuccess('Saved the note.')
    },
  })
  const { error, hint } = lengthNote(note, longestNote)
  if (!isOwner) return incident.note === null ? null : <p dir="auto">{incident.note}</p>
  return (
    <Form className={css.note} onSend={() => error === undefined && save.mutate({ id: incident.id, note })}>
      <TextField
        label="Note for visitors (optional)"
        value={note}
        autoComplete="off"
        error={error}
        hint={`Shown on your status page if this entry is on it. ${hint}`}
        onChange={(text) => onDrafts((now) => ({ ...now, [incident.id]: { incident, text } }))}
      />
      <Button type="submit" size="small" disabled={save.isPending || !isChanged || error !== undefined}>
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
