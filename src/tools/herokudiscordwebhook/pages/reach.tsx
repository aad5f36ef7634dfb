import { useState } from 'react'
import { Snippet } from '../../../ui/components/snippet.tsx'
import { ReachNote } from '../../../ui/components/warning.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import type { Filter, Relay } from './calls.ts'
import css from './reach.module.css'

const plain = /^[\w@%+=:,./-]+$/

/** Quotes a word of a command if a shell would change it. */
const shellQuote = (word: string) => (plain.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

function resourcesFor(filter: Filter): string {
  const deploys = ['api:release', 'api:build']
  if ('preset' in filter) return (filter.preset === 'deploys' ? deploys : [...deploys, 'dyno']).join()
  return (filter.resources.length > 0 ? filter.resources : [...deploys, 'dyno']).join()
}

export const appNameOf = (text: string): string => text.toLowerCase().replace(/[^a-z0-9-]/g, '')

type CommandOptions = { herokuEndpoint: string; filter: Filter; secret?: string | null | undefined }

/** The command that makes Heroku deliver here, with APP as the placeholder for an empty app name. */
export function addCommand({ herokuEndpoint, filter, secret }: CommandOptions, app: string): string {
  const start = `heroku webhooks:add -a ${app || 'APP'} -i ${shellQuote(resourcesFor(filter))} -l sync`
  return [start, secretOption(secret), `-u ${shellQuote(herokuEndpoint)}`].filter(Boolean).join(' ')
}

/** A secret that starts with a hyphen would be taken for another option after `-s`. */
const secretOption = (secret: string | null | undefined) =>
  secret && (secret.startsWith('-') ? `--secret=${shellQuote(secret)}` : `-s ${shellQuote(secret)}`)

export function Reach({ entry }: { entry: Relay }) {
  const [typed, setApp] = useState<string>()
  // The first delivery contains the app's name.
  const app = typed ?? appNameOf(entry.about)
  return (
    <section className={css.reach} aria-label="Connect Heroku">
      <h3>Connect Heroku</h3>
      <ol className={css.steps}>
        <li>Enter the name of your Heroku app and copy the command.</li>
        <li>Run it in a terminal where you are logged in to Heroku.</li>
        <li>Deploy, or restart a dyno. This page shows Connected after the first delivery.</li>
      </ol>
      <ReachNote url={entry.herokuEndpoint} others="Heroku" />
      <TextField
        label="Heroku app"
        code
        placeholder="my-app"
        value={app}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(text) => setApp(appNameOf(text))}
      />
      <Snippet title="Command" text={addCommand(entry, app)} name="the command" />
      <Snippet title="Endpoint" text={entry.herokuEndpoint} name="the endpoint" />
      <p>
        <code>-i</code> selects what Heroku sends; “Events to relay” can filter it further. With <code>-l sync</code>{' '}
        Heroku retries failed deliveries for up to 72 hours. To change an existing webhook, find its ID with{' '}
        <code>heroku webhooks -a {app || 'APP'}</code> and run <code>heroku webhooks:update</code> with the same
        options.
      </p>
    </section>
  )
}
