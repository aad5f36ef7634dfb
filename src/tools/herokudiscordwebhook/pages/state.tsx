import { type LucideIcon, MessageSquare, Server, Webhook } from 'lucide-react'
import { type ComponentProps, type ReactNode, useEffect } from 'react'
import { formatNext } from '../../../entries/pages/health/status.tsx'
import type { State } from '../../../shared/status-glyphs.ts'
import { useTimeDependent } from '../../../ui/clock.ts'
import { Button } from '../../../ui/components/button.tsx'
import { Ago, Moment } from '../../../ui/components/moment.tsx'
import { Card } from '../../../ui/components/page.tsx'
import { Status } from '../../../ui/components/status.tsx'
import { Fold } from '../../../ui/form/fold.tsx'
import { lazyDialog } from '../../../ui/navigation/lazy.ts'
import { closeToasts } from '../../../ui/toasts.ts'
import { tooManyWait } from '../contract.ts'
import type { Relay } from './calls.ts'
import { eventCount } from './delivery-labels.ts'
import { Reach } from './reach.tsx'
import css from './state.module.css'

const useReplaceModal = lazyDialog(async () => (await import('./replace-modal.tsx')).ReplaceModal)

export function Connection({ entry }: { entry: Relay }) {
  useCloseOldNotice(entry)
  // Not part of the line that opens it, which disappears if the webhook is replaced elsewhere.
  const { Dialog, turn, open, close, opener } = useReplaceModal()
  return (
    <Card className={css.state} aria-label="Connection">
      <ol>
        <Party title={entry.about === '' ? 'Heroku' : `Heroku: ${entry.about}`} Icon={Server}>
          <FromHeroku entry={entry} />
          {entry.refused && <Refused refused={entry.refused} />}
        </Party>
        <Party title="ToolBox" Icon={Webhook}>
          <Waiting entry={entry} />
        </Party>
        <Party title="Discord" Icon={MessageSquare}>
          {entry.blocked ? <Blocked blocked={entry.blocked} opener={opener} /> : <ToDiscord entry={entry} />}
        </Party>
      </ol>
      <Fold
        title="Heroku command and endpoint"
        summary={entry.connectedAt === null ? '' : 'Only needed to connect another app'}
        isOpen={entry.connectedAt === null}
      >
        <Reach entry={entry} />
      </Fold>
      {Dialog && <Dialog key={turn} id={entry.id} open={open} onClose={close} />}
    </Card>
  )
}

const Party = ({ title, Icon, children }: { title: string; Icon: LucideIcon; children: ReactNode }) => (
  <li>
    <h2>
      <Icon size={17} aria-hidden="true" />
      {title}
    </h2>
    {children}
  </li>
)

function useCloseOldNotice({ id, blocked }: Pick<Relay, 'id' | 'blocked'>) {
  const isOver = blocked === null
  useEffect(() => {
    if (isOver) closeToasts(({ kind, entry }) => kind === 'danger' && entry?.id === id)
  }, [id, isOver])
}

function Line({ state, title, children }: { state: State; title: ReactNode; children?: ReactNode }) {
  return (
    <div>
      <Status state={state} size="m" word={title} />
      {children}
    </div>
  )
}

function FromHeroku({ entry: { connectedAt } }: { entry: Relay }) {
  if (connectedAt === null)
    return (
      <Line state="new" title="Waiting for the first delivery">
        <p>Heroku hasn't reached the endpoint yet. This updates automatically when it does.</p>
      </Line>
    )
  return (
    <Line
      state="ok"
      title={
        <>
          Connected since <Moment at={connectedAt} />
        </>
      }
    />
  )
}

const Refused = ({ refused: { count, at, why } }: { refused: NonNullable<Relay['refused']> }) => (
  <Line state="failing" title={`${countOf(count)}: ${why}`}>
    <p>
      Last one <Ago at={at} />, at <Moment at={at} />. {remedyFor(why)} Clears after the next accepted delivery.
    </p>
  </Line>
)

const countOf = (refused: number) => (refused === 1 ? '1 delivery rejected' : `${refused} deliveries rejected`)

function remedyFor(why: string) {
  if (why === tooManyWait) return 'Heroku will try again later. Fix the webhook or replay held deliveries to make room.'
  return why === 'no signature' ? (
    <>Heroku has no secret for this endpoint. Set this one with {updateCommand}.</>
  ) : (
    <>Set this entry's secret in Heroku with {updateCommand}, or paste Heroku's secret here.</>
  )
}

const updateCommand = (
  <>
    <code>heroku webhooks:update</code> and <code>-s</code>
  </>
)

function Waiting({ entry: { status, held, waiting } }: { entry: Relay }) {
  if (!status)
    return (
      <Line state="paused" title="This entry is inactive">
        <p>Deliveries are logged but not forwarded.</p>
      </Line>
    )
  if (held + waiting === 0) return <Line state="ok" title="Nothing waiting" />
  return (
    <>
      {held > 0 && (
        <Line state="failing" title={`${eventCount(held)} waiting to be replayed`}>
          <p>“Replay all held” resends them in order.</p>
        </Line>
      )}
      {waiting > 0 && <Line state="new" title={`${eventCount(waiting)} waiting for Discord`} />}
    </>
  )
}

type BlockedProps = { blocked: NonNullable<Relay['blocked']>; opener: ComponentProps<typeof Button> }

const Blocked = ({ blocked: { at, why }, opener }: BlockedProps) => (
  <Line
    state="blocked"
    title={
      <>
        Discord has rejected this webhook since <Moment at={at} />
      </>
    }
  >
    <p>
      Discord {why}. {causeOf(why)} New events are held in the meantime; nothing is lost.
    </p>
    <Button {...opener}>Replace URL and replay held events</Button>
  </Line>
)

function causeOf(why: string): string {
  if (why.startsWith('answered 404'))
    return 'The webhook or thread was deleted. Create a new one and enter its URL here.'
  if (why.startsWith('answered 401')) return 'The URL is no longer valid. Copy it again from Discord and enter it here.'
  return "Discord doesn't allow posting there. Create a webhook in another channel and enter its URL here."
}

function Retry({ retry: { at, why } }: { retry: NonNullable<Relay['retry']> }) {
  const next = useTimeDependent(at, () => formatNext(at))
  return (
    <Line state="failing" title="Messages aren't reaching Discord">
      <p className={css.why}>{why}</p>
      <p>{next === 'running' ? 'Trying again now.' : `Next attempt ${next}.`}</p>
    </Line>
  )
}

function ToDiscord({ entry: { lastRun, retry } }: { entry: Pick<Relay, 'lastRun' | 'retry'> }) {
  if (retry) return <Retry retry={retry} />
  if (!lastRun) return <Line state="new" title="No messages sent to Discord yet" />
  const when = <Ago at={lastRun.timestamp} />
  if (lastRun.success) return <Line state="ok" title={<>Last message to Discord {when}</>} />
  return (
    <Line state="failing" title={<>The last message failed to reach Discord {when}</>}>
      {lastRun.note && <p>{lastRun.note}</p>}
    </Line>
  )
}
