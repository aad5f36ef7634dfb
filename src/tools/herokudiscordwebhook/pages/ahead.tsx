import { Ahead } from '../../../entries/pages/aside/ahead.tsx'
import type { Draft } from '../../../ui/form/draft.ts'
import { PreviewPart } from './preview/preview.tsx'
import type { Values } from './relay.ts'

/** How a relay is connected, and what its messages look like. */
export function RelayAhead({ draft: { values } }: { draft: Draft<Values> }) {
  const { filter, showActor, mentionRole, card, status } = values
  return (
    <Ahead
      steps={[
        <>
          <b>As soon as you save</b>, you get an endpoint and the command that adds it to your Heroku app.
        </>,
        <>Each event that Heroku sends is kept first, then posted to the channel in order.</>,
        <>If Discord can't be reached, we try again for hours. Nothing is lost meanwhile.</>,
      ]}
    >
      <PreviewPart id={undefined} values={{ filter, showActor, mentionRole, card }} active={status} />
    </Ahead>
  )
}
