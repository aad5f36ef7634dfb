import { useState } from 'react'
import { TextField } from '../../../web/form/field.tsx'
import { Card } from '../../../web/ui/page.tsx'
import { Snippet } from '../../../web/ui/snippet.tsx'
import { addCommand, appNameOf } from './command.ts'
import css from './reach.module.css'
import type { Relay } from './relay.ts'

/** How Heroku reaches this entry: the endpoint, and the command that tells Heroku of it. */
export function Reach({ entry }: { entry: Relay }) {
  const [app, setApp] = useState('')
  return (
    <Card className={css.part} aria-label="Connect Heroku">
      <h2>Connect Heroku</h2>
      <ol className={css.steps}>
        <li>In Discord, make a webhook for the channel and save its URL above.</li>
        <li>In a terminal where you are signed in at Heroku, run the command below.</li>
        <li>Deploy, or restart a dyno: this page says Connected once the first delivery is here.</li>
      </ol>
      <Snippet title="Endpoint" text={entry.herokuEndpoint} />
      <TextField
        label="Heroku app"
        code
        placeholder="my-app"
        value={app}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onText={(text) => setApp(appNameOf(text))}
      />
      <Snippet title="Command" text={addCommand(entry, app)} />
      <p>
        <code>-i</code> says what Heroku sends; the filter above lets through no more than that. With{' '}
        <code>-l sync</code> Heroku delivers again, for up to 72 hours, what this server could not take. To change a
        webhook that is there, <code>heroku webhooks -a APP</code> lists its id for <code>heroku webhooks:update</code>,
        which takes the same options.
      </p>
    </Card>
  )
}
