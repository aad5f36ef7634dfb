import { useQuery } from '@tanstack/react-query'
import { ownFactorQuery } from '../../../sign-in/pages/second-factor/calls.ts'
import css from '../../../sign-in/pages/second-factor/second-factor.module.css'
import { Button } from '../../../ui/components/button.tsx'
import { Moment } from '../../../ui/components/moment.tsx'
import { Part } from '../../../ui/components/page.tsx'
import { StatusPill } from '../../../ui/components/pill.tsx'
import { lazyDialog } from '../../../ui/navigation/lazy.ts'
import own from '../own.module.css'

const useSetUp = lazyDialog(async () => (await import('./dialogs.tsx')).SetUpModal)
const useNewCodes = lazyDialog(async () => (await import('./dialogs.tsx')).NewCodesModal)
const useTurnOff = lazyDialog(async () => (await import('./dialogs.tsx')).TurnOffModal)

/** Whether a code is asked for at sign-in, and the buttons that change it. */
export function TwoStep() {
  const { data } = useQuery(ownFactorQuery)
  return (
    <Part className={own.wide} aria-label="Two-step sign-in">
      <h2>Two-step sign-in</h2>
      {data?.app && (
        <>
          <p className={css.state}>
            <StatusPill dot look="ok" text="On" />
            <span>
              since <Moment at={data.app.since} />
            </span>
          </p>
          <p className={css.note}>{codesLeftInWords(data.app.codesLeft)}</p>
          <div className={css.row}>
            <NewCodes />
            <SetUp label="Replace app" replaces />
            {!data.required && <TurnOff />}
          </div>
        </>
      )}
      {data && !data.app && (
        <>
          <p className={css.note}>
            Sign in with a code from an authenticator app as a second step, so that nobody gets in with your password
            alone.
          </p>
          <div className={css.row}>
            <SetUp label="Set up" />
          </div>
        </>
      )}
    </Part>
  )
}

function codesLeftInWords(left: number): string {
  if (left === 0) return "You've used all your recovery codes. Create new ones."
  return left === 1 ? 'You have 1 recovery code left.' : `You have ${left} recovery codes left.`
}

function SetUp({ label, replaces = false }: { label: string; replaces?: boolean }) {
  const { Dialog, open, close, opener } = useSetUp()
  return (
    <>
      <Button size="small" {...opener}>
        {label}
      </Button>
      {Dialog && <Dialog open={open} replaces={replaces} onClose={close} />}
    </>
  )
}

function NewCodes() {
  const { Dialog, open, close, opener } = useNewCodes()
  return (
    <>
      <Button size="small" {...opener}>
        New recovery codes
      </Button>
      {Dialog && <Dialog open={open} onClose={close} />}
    </>
  )
}

function TurnOff() {
  const { Dialog, open, close, opener } = useTurnOff()
  return (
    <>
      <Button size="small" {...opener}>
        Turn off
      </Button>
      {Dialog && <Dialog open={open} onClose={close} />}
    </>
  )
}
