import { Ahead } from '../../../entries/pages/aside/ahead.tsx'
import { minutes } from '../../../shared/time.ts'
import { Snippet } from '../../../ui/components/snippet.tsx'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import type { Draft } from '../../../ui/form/draft.ts'
import { withScheme } from '../../../ui/form/web-address.ts'
import { formatInterval } from '../../../ui/format-time.ts'
import { keepaliveTool } from '../tool.ts'

const example = 'https://app.example.com/health'

/** What a ping does, and when. */
export function PingAhead({
  draft: { values },
}: {
  draft: Draft<{ url: string; interval: number | null; status: boolean }>
}) {
  const defaultInterval = useDefaultInterval(keepaliveTool.id)
  const interval = values.interval === null ? defaultInterval : minutes(values.interval)
  const every = interval ? `every ${formatInterval(interval)}` : 'at this interval'
  const typed = withScheme(values.url)
  const url = new URL(URL.canParse(typed) ? typed : example)
  return (
    <Ahead
      steps={[
        values.status ? (
          <>
            <b>As soon as you save</b>, we send one GET request to <b>{url.host}</b>.
          </>
        ) : (
          <>
            <b>Nothing yet</b>: the entry is inactive until you turn it on.
          </>
        ),
        <>
          Then one <b>{every}</b>, day and night, so the app never goes idle.
        </>,
        <>Any status below 400 is a success, after up to five redirects. The response itself is not kept.</>,
        <>Each run is recorded with its time, or with the reason it failed.</>,
      ]}
    >
      <Snippet
        title="The request"
        name="the request"
        text={`GET ${url.pathname}${url.search} HTTP/1.1\nHost: ${url.host}`}
      />
    </Ahead>
  )
}
