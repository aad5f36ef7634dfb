import { Ahead } from '../../../entries/pages/aside/ahead.tsx'
import { Snippet } from '../../../ui/components/snippet.tsx'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import { withScheme } from '../../../ui/form/address/web-address.ts'
import type { Draft } from '../../../ui/form/draft.ts'
import { formatInterval } from '../../../ui/format-time.ts'
import { everyOf, type Interval, sleepsBetween } from '../hosts/terms/interval.ts'
import { hostOf } from '../hosts/terms/known-hosts.ts'
import { keepaliveNames } from '../terms.ts'
import type { Requests } from './advanced/requests.ts'
import { quietWords, successWords } from './advanced/words.ts'

const example = 'https://app.example.com/health'

/** What a ping does, and when. */
export function PingAhead({
  draft: { values },
}: {
  draft: Draft<Requests & { url: string; interval: Interval; status: boolean }>
}) {
  const { method, headers, quiet, expect } = values
  const defaultInterval = useDefaultInterval(keepaliveNames.id)
  const typed = withScheme(values.url)
  const interval = defaultInterval && everyOf({ url: typed, interval: values.interval }, defaultInterval)
  const every = interval ? `every ${formatInterval(interval)}` : 'at this interval'
  const host = hostOf(typed)
  const mayIdle = host && (host.interval === null || (interval !== undefined && sleepsBetween(host, interval)))
  const url = new URL(URL.canParse(typed) ? typed : example)
  // A value may be secret, and somebody may look on.
  const sent = headers.flatMap(({ name, value }) => (name && value ? [`${name}: ••••`] : []))
  return (
    <Ahead
      steps={[
        values.status ? (
          <>
            <b>{quiet ? 'As soon as you save, outside quiet hours,' : 'As soon as you save'}</b>
            {quiet ? ' ' : ', '}we send one {method} request to <b>{url.host}</b>.
          </>
        ) : (
          <>
            <b>Nothing yet</b>: the entry is inactive until you turn it on.
          </>
        ),
        <>
          Then one <b>{every}</b>
          {quiet
            ? `, but none from ${quietWords(quiet)}.`
            : `, day and night${mayIdle ? '' : ', so the app never goes idle'}.`}
        </>,
        <>
          {expect ? `Success means: ${successWords(expect)}` : 'Any status below 400 is a success'}, after up to five
          redirects. The response itself is not kept.
        </>,
        <>Each run is recorded with its time, or with the reason it failed.</>,
      ]}
    >
      <Snippet
        title="The request"
        name="the request"
        text={[`${method} ${url.pathname}${url.search} HTTP/1.1`, `Host: ${url.host}`, ...sent].join('\n')}
      />
    </Ahead>
  )
}
