import { Suspense, useState } from 'react'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import { UrlField } from '../../../ui/form/address/url-field.tsx'
import { withScheme } from '../../../ui/form/address/web-address.ts'
import type { Draft } from '../../../ui/form/draft.ts'
import { besides } from '../../../ui/navigation/idle.ts'
import type { Interval } from '../hosts/terms/interval.ts'
import { hostOf } from '../hosts/terms/known-hosts.ts'
import { keepaliveNames } from '../terms.ts'
import { Advanced } from './advanced/advanced.tsx'
import type { Requests } from './advanced/requests.ts'
import { HostNote, HoursToCome } from './host-note.tsx'
import { IntervalField } from './interval.tsx'

const EntryHours = besides(async () => (await import('./hours/entry-hours.tsx')).EntryHours)

type Settings = Requests & { url: string; interval: Interval; status: boolean }

/** The interval of a new entry with this URL, unless another is chosen. */
export const suitable = (url: string): Interval => (hostOf(withScheme(url)) ? 'auto' : null)

/** A new entry is pinged as its host needs it, until somebody chooses an interval; a saved one keeps its own. */
export function Fields({ draft, id }: { draft: Draft<Settings>; id?: string | undefined }) {
  const { values, errors, changed, set } = draft
  const { interval, quiet, status } = values
  const [chosen, setChosen] = useState(id !== undefined || values.interval !== suitable(values.url))
  const usual = useDefaultInterval(keepaliveNames.id)
  const host = hostOf(withScheme(values.url))
  const typeUrl = (url: string) => {
    set('url', url)
    // A form that was reset begins anew.
    const isNew = id === undefined && !changed && values.interval === null
    if (isNew) setChosen(false)
    const next = suitable(url)
    if ((isNew || !chosen) && next !== values.interval) set('interval', next)
  }
  return (
    <>
      <UrlField
        label="URL"
        placeholder="https://app.example.com/health"
        hint={`We send a ${values.method} request to this URL.`}
        value={values.url}
        error={errors.url}
        onText={typeUrl}
      />
      {host && (
        <HostNote host={host} interval={interval} usual={usual}>
          {host.budget && !Number.isNaN(interval) && (
            <Suspense fallback={<HoursToCome />}>
              <EntryHours
                entry={{ url: withScheme(values.url), interval, quiet, status, ...(id !== undefined && { id }) }}
                onQuiet={(quiet) => set('quiet', quiet)}
              />
            </Suspense>
          )}
        </HostNote>
      )}
      <IntervalField
        host={host}
        usual={usual}
        interval={interval}
        error={errors.interval}
        onChange={(interval) => {
          setChosen(true)
          set('interval', interval)
        }}
      />
      <Advanced draft={draft} />
    </>
  )
}
