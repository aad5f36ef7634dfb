import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronDown, Circle, CircleCheck, X } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { pages } from '../../shared/pages.ts'
import { Button, buttonClass, IconButton, linkClass } from '../../ui/components/button.tsx'
import { Snippet } from '../../ui/components/snippet.tsx'
import { callQuery, reload, useCall } from '../../ui/data/call.ts'
import { withLocalTimes } from '../../ui/format-time.ts'
import { notifySuccess } from '../../ui/toasts.ts'
import type { StepId, FirstSteps as Steps } from '../contract.ts'
import css from './first-steps.module.css'
import { rememberSteps, wereStepsDone } from './steps-done.ts'

const stepsQuery = callQuery('GET /api/v1/admin/first-steps')

type StepsProps = {
  /** Whether there are no entries yet: then the list starts expanded, otherwise collapsed to one line. */
  isNew: boolean
  createPath: string | undefined
  children?: ReactNode
}

/** The first steps of a new server, until all are done or dismissed. */
export function FirstSteps({ isNew, createPath, children }: StepsProps) {
  const { data, isPending } = useQuery({ ...stepsQuery, meta: { quiet: true } })
  const isLeft = data?.steps.some(({ isDone }) => !isDone)
  useEffect(() => {
    if (isLeft !== undefined) rememberSteps(isLeft)
  }, [isLeft])
  // Show nothing yet: steps that appear later would push down the content below.
  if (isPending && !wereStepsDone()) return <span aria-busy="true" hidden />
  return (
    <>
      {data && isLeft && <Checklist data={data} isNew={isNew} createPath={createPath} />}
      {children}
    </>
  )
}

function Checklist({ data, isNew, createPath }: { data: Steps } & Pick<StepsProps, 'isNew' | 'createPath'>) {
  const dismiss = useCall('PATCH /api/v1/admin/first-steps', {
    onSuccess: () => {
      notifySuccess('Dismissed for all admins.')
      return reload(stepsQuery)
    },
  })
  const done = data.steps.filter(({ isDone }) => isDone).length
  const next = data.steps.find(({ isDone }) => !isDone)
  const ofNext = !isNew && next && labelsOf(next.id, data, createPath)
  return (
    <section className={css.card} aria-label="First steps">
      <details open={isNew}>
        <summary className={css.line}>
          <h2>First steps</h2>
          <span className={css.marks} aria-hidden="true">
            {data.steps.map(({ id }, index) => (
              <i key={id} data-done={index < done || undefined} />
            ))}
          </span>
          {done} of {data.steps.length} done
          <ChevronDown className={css.chevron} size={16} aria-hidden="true" />
        </summary>
        <ol>
          {data.steps.map(({ id, isDone, what }) => {
            const { title, todo, act } = labelsOf(id, data, createPath)
            return (
              <li key={id} data-done={isDone || undefined}>
                {isDone ? <CircleCheck size={18} aria-hidden="true" /> : <Circle size={18} aria-hidden="true" />}
                <h3>
                  <span className="sr">{isDone ? 'Done: ' : 'To do: '}</span>
                  {what === undefined ? title : withLocalTimes(what).replace(/\.$/, '')}
                </h3>
                {!isDone && <div>{todo}</div>}
                {!isDone && act && <span className={css.act}>{act}</span>}
                {!isDone && (
                  <span className={css.dismiss}>
                    <IconButton
                      label={`Dismiss “${title}”`}
                      disabled={dismiss.isPending}
                      onClick={() => dismiss.mutate({ ids: [id] })}
                    >
                      <X size={16} aria-hidden="true" />
                    </IconButton>
                  </span>
                )}
              </li>
            )
          })}
        </ol>
        <footer className={css.end}>
          <p>Only admins see this.</p>
          <Button
            size="small"
            disabled={dismiss.isPending}
            onClick={() => dismiss.mutate({ ids: data.steps.map(({ id }) => id) })}
          >
            Dismiss all
          </Button>
        </footer>
      </details>
      {ofNext && (
        <p className={css.next}>
          Next: {ofNext.title}
          {ofNext.act}
        </p>
      )}
    </section>
  )
}

type Words = { title: string; todo: ReactNode; act?: ReactNode }

const to = (path: string, label: string) => (
  <Link to={path} className={buttonClass({ size: 'small' })}>
    {label}
  </Link>
)

function labelsOf(id: StepId, { baseUrl, callbacks }: Steps, createPath: string | undefined): Words {
  const words: Record<StepId, () => Words> = {
    entry: () => ({
      title: 'Create the first entry',
      todo: <p>For example, a ping that keeps a free app awake.</p>,
      ...(createPath !== undefined && { act: to(createPath, 'Create entry') }),
    }),
    channel: () => ({
      title: 'Add a channel',
      todo: <p>Discord, email or another service that tells you when something fails.</p>,
      act: to(pages.channels.path, 'Add channel'),
    }),
    address: () => ({
      title: 'Set the public address',
      todo: (
        <p>
          ToolBox is at <code>{baseUrl}</code>, which others can't open. Set <code>BASE_URL</code> to the address at
          which they will, and restart ToolBox.
        </p>
      ),
    }),
    https: () => ({
      title: 'Turn on HTTPS',
      todo: (
        <p>
          Put a proxy with a certificate in front, such as Caddy, and let <code>BASE_URL</code> begin with{' '}
          <code>https://</code>. Until then, passwords travel unencrypted.
        </p>
      ),
    }),
    provider: () => ({
      title: 'Let people sign in with a provider',
      todo: (
        <>
          <p>
            Register ToolBox with a provider, enter the callback URL there, and set the client ID and secret that you
            get.
          </p>
          <details>
            <summary>Callback URLs</summary>
            {callbacks.map(({ name, url, registerAt, variables }) => (
              <div key={name}>
                <Snippet title={`${name} callback URL`} text={url} />
                <p>
                  {registerAt && (
                    <>
                      <a href={registerAt} target="_blank" rel="noreferrer" className={linkClass}>
                        Register at {name}
                      </a>
                      , then set{' '}
                    </>
                  )}
                  {!registerAt && 'Register at your provider, then set '}
                  <code>{variables.join(', ')}</code>.
                </p>
              </div>
            ))}
          </details>
        </>
      ),
    }),
    backup: () => ({
      title: 'Make a backup',
      todo: (
        <p>
          You can make one now. <code>BACKUP_EVERY</code> sets how often ToolBox makes one automatically.
        </p>
      ),
      act: to(pages.backups.path, 'Backups'),
    }),
    admin: () => ({
      title: 'Add a second admin',
      todo: <p>Someone who can help if you lose access: a user with the role Admin 2.</p>,
      act: to(pages.createUser.path, 'Create user'),
    }),
  }
  return words[id]()
}
