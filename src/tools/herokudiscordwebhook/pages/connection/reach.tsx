import { useState } from 'react'
import { Part } from '../../../../ui/components/page.tsx'
import { Snippet } from '../../../../ui/components/snippet.tsx'
import { TextField } from '../../../../ui/form/field.tsx'
import type { Relay } from '../relay.ts'
import { addCommand, appNameOf } from './command.ts'
import css from './reach.module.css'

/** How Heroku reaches this entry: the endpoint, and the command that tells Heroku of it. */
export function Reach({ entry }: { entry: Relay }) {
  const [app, setApp] = useState('')
  return (
    <Part className={css.reach} aria-label="Connect Heroku">
      <h2>Connect Heroku</h2>
      <ol className={css.steps}>
        <li>Type the name of your Heroku app, and copy the command.</li>
        <li>Run it in a terminal where you are signed in at Heroku.</li>
        <li>Deploy, or restart a dyno: this page says Connected once the first delivery is here.</li>
      </ol>
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
      <Snippet title="Command" text={addCommand(entry, app)} name="the command" />
      <Snippet title="Endpoint" text={entry.herokuEndpoint} name="the endpoint" />
      <p>
        <code>-i</code> says what Heroku sends; “Events to relay” can leave some of it out. With <code>-l sync</code>{' '}
        Heroku delivers again, for up to 72 hours, what this server could not take. To change a webhook that is there,{' '}
        <code>heroku webhooks -a APP</code> lists its id for <code>heroku webhooks:update</code>, which takes the same
        options.
      </p>
    </Part>
  )
}
