import { Card } from '../../../web/ui/page.tsx'
import { Snippet } from '../../../web/ui/snippet.tsx'
import type { Relay } from './relay.ts'

/** How Heroku reaches this entry. */
export const Reach = ({ entry }: { entry: Relay }) => (
  <Card aria-label="Connect Heroku">
    <Snippet title="Endpoint" text={entry.herokuEndpoint} />
  </Card>
)
