import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { backupsPath, createUserPath } from '../../people/pages/admin-paths.ts'
import { buttonClass } from '../../ui/components/button.tsx'
import { Snippet } from '../../ui/components/snippet.tsx'
import type { FirstSteps, StepId } from '../contract.ts'

type Words = { title: string; todo: ReactNode; act?: ReactNode }

const to = (path: string, label: string) => (
  <Link to={path} className={buttonClass({ size: 'small' })}>
    {label}
  </Link>
)

/** A step in words, with what to do and where. */
export function labelsOf(id: StepId, { baseUrl, callbacks }: FirstSteps, createPath: string | undefined): Words {
  const words: Record<StepId, () => Words> = {
    entry: () => ({
      title: 'Create the first entry',
      todo: <p>For example a ping that keeps a free app awake.</p>,
      ...(createPath !== undefined && { act: to(createPath, 'Create entry') }),
    }),
    channel: () => ({
      title: 'Add a channel',
      todo: <p>Discord, email or another service that tells you when something fails.</p>,
      act: to('/user/channels', 'Add channel'),
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
      title: 'Turn on https',
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
          <p>Register ToolBox with one of them, enter the callback URL there, and set what you get in return.</p>
          <details>
            <summary>Callback URLs</summary>
            {callbacks.map(({ name, url, registerAt, variables }) => (
              <div key={name}>
                <Snippet title={`${name} callback URL`} text={url} />
                <p>
                  {registerAt && (
                    <>
                      <a href={registerAt} target="_blank" rel="noreferrer">
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
          ToolBox makes them by itself, as often as <code>BACKUP_EVERY</code> says, and you can make one now.
        </p>
      ),
      act: to(backupsPath, 'Backups'),
    }),
    admin: () => ({
      title: 'Add a second admin',
      todo: <p>Someone who can help if you lose access: a user with the role Admin 2.</p>,
      act: to(createUserPath, 'Create user'),
    }),
  }
  return words[id]()
}
