import { Play } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Milliseconds } from '../../shared/time.ts'
import { useWords } from '../../ui/clock.ts'
import { Button } from '../../ui/components/button.tsx'
import { Card, Part } from '../../ui/components/page.tsx'
import { formatAge, formatInterval, formatTimeInZone } from '../../ui/format-time.ts'
import { tipped } from '../../ui/tip.ts'
import css from './aside.module.css'
import { useRunNow } from './calls.ts'
import { formatNext } from './health/status.tsx'
import type { Detail, PageNames } from './tool-pages.ts'

/** What a tool does, under a picture. */
export const AboutCard = ({ children }: { children: ReactNode }) => <Card className={css.about}>{children}</Card>

/** What will happen once a new entry is saved, step by step. */
export const Ahead = ({ steps, children }: { steps: readonly ReactNode[]; children?: ReactNode }) => (
  <Part aria-label="What will happen">
    <h2>What will happen</h2>
    <ol className={css.steps}>
      {steps.map((step, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the steps keep their order
        <li key={at}>{step}</li>
      ))}
    </ol>
    {children}
  </Part>
)

/** When a scheduled entry runs next, and the button that runs it now. */
export function NextRun(props: {
  tool: PageNames
  entry: Detail
  interval: Milliseconds | undefined
  /** What else is to be said of it. */
  children?: ReactNode
}) {
  const { entry, interval } = props
  const isWaiting = entry.waitingSince !== null
  const at = entry.waitingSince ?? entry.nextRunAt
  const when = useWords(at, () => (isWaiting || at === null ? formatAge(at) : formatNext(at)))
  const runNow = useRunNow()
  return (
    <Card className={css.next} aria-label="Next run">
      <div>
        <h2>Next run</h2>
        {entry.nextRunAt === null ? (
          <p>{entry.status ? 'Not scheduled.' : 'Paused while the entry is inactive.'}</p>
        ) : (
          <p>
            {isWaiting && 'Was due '}
            <b {...tipped(() => formatTimeInZone(at))}>{when}</b>
            {interval !== undefined && `, every ${formatInterval(interval)}`}
            {isWaiting && '. Waiting for other entries on this host.'}
          </p>
        )}
        {props.children}
      </div>
      <Button disabled={runNow.isPending} onClick={() => runNow.mutate({ tool: props.tool.id, id: entry.id })}>
        <Play size={14} aria-hidden="true" />
        Run now
      </Button>
    </Card>
  )
}
