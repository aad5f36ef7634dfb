import { CircleCheck, CircleDashed, CirclePause, OctagonX, TriangleAlert } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { Ago, Moment } from '../../../../ui/components/moment.tsx'
import { Card } from '../../../../ui/components/page.tsx'
import { withdraw } from '../../../../ui/toasts.ts'
import { relayCalled } from '../../contract.ts'
import type { Relay } from '../relay.ts'
import { Replace } from './replace.tsx'
import css from './state.module.css'
import { causeOf, countOf, heldText, remedyFor } from './state-words.ts'

/** Whether events come in from Heroku and go out to Discord, and what to do where they do not. */
export function State({ entry }: { entry: Relay }) {
  useRefusalIsOver(entry)
  return (
    <Card className={css.state} aria-label="Connection">
      <ul>
        <FromHeroku entry={entry} />
        {entry.refused && <Refused refused={entry.refused} />}
        {!entry.status && <Paused />}
        {entry.blocked ? <Blocked id={entry.id} blocked={entry.blocked} /> : <ToDiscord entry={entry} />}
      </ul>
    </Card>
  )
}

/** Takes the notice of a refusal off the screen once there is none: nobody has to close what is not true any more. */
function useRefusalIsOver({ id, blocked }: Pick<Relay, 'id' | 'blocked'>) {
  const isOver = blocked === null
  useEffect(() => {
    if (isOver) withdraw(({ kind, message }) => kind === 'danger' && message.includes(relayCalled(id)))
  }, [id, isOver])
}

const icons = { ok: CircleCheck, wait: CircleDashed, off: CirclePause, warn: TriangleAlert, bad: OctagonX }

function Line({ tone, title, children }: { tone: keyof typeof icons; title: ReactNode; children?: ReactNode }) {
  const Icon = icons[tone]
  return (
    <li data-tone={tone}>
      <Icon size={17} aria-hidden="true" />
      <div>
        <strong>{title}</strong>
        {children}
      </div>
    </li>
  )
}

function FromHeroku({ entry: { connectedAt } }: { entry: Relay }) {
  if (connectedAt === null)
    return (
      <Line tone="wait" title="Waiting for the first delivery">
        <p>Heroku hasn't reached the endpoint yet. This updates automatically when it does.</p>
      </Line>
    )
  return (
    <Line
      tone="ok"
      title={
        <>
          Connected since <Moment at={connectedAt} />
        </>
      }
    />
  )
}

const Refused = ({ refused: { count, at, why } }: { refused: NonNullable<Relay['refused']> }) => (
  <Line tone="warn" title={`${countOf(count)}: ${why}`}>
    <p>
      Last one <Ago at={at} />, at <Moment at={at} />. {remedyFor(why)} Clears after the next accepted delivery.
    </p>
  </Line>
)

const Paused = () => (
  <Line tone="off" title="This entry is inactive">
    <p>Deliveries are logged but not forwarded.</p>
  </Line>
)

const Blocked = ({ id, blocked: { at, why } }: { id: string; blocked: NonNullable<Relay['blocked']> }) => (
  <Line
    tone="bad"
    title={
      <>
        Discord has rejected this webhook since <Moment at={at} />
      </>
    }
  >
    <p>
      Discord {why}. {causeOf(why)} New events are held in the meantime; nothing is lost.
    </p>
    <Replace id={id} />
  </Line>
)

function ToDiscord({ entry: { held, lastRun } }: { entry: Pick<Relay, 'held' | 'lastRun'> }) {
  if (held > 0)
    return (
      <Line tone="warn" title={heldText(held)}>
        <p>
          {lastRun?.success === false && lastRun.note && `Discord didn't accept the last one: ${lastRun.note}. `}“Replay
          all held” resends them in order.
        </p>
      </Line>
    )
  if (!lastRun) return <Line tone="wait" title="No messages sent to Discord yet" />
  const when = <Ago at={lastRun.timestamp} />
  if (lastRun.success) return <Line tone="ok" title={<>Last message to Discord {when}</>} />
  return (
    <Line tone="warn" title={<>The last message failed to reach Discord {when}</>}>
      {lastRun.note && <p>{lastRun.note}</p>}
    </Line>
  )
}
