import { Suspense } from 'react'
import { entryColumns, urlColumn } from '../../../entries/pages/columns.tsx'
import { Status } from '../../../entries/pages/health/status.tsx'
import type { Item, ScreensOf } from '../../../entries/pages/tool-pages.ts'
import { withScheme } from '../../../ui/form/address/web-address.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { besides } from '../../../ui/navigation/idle.ts'
import type { keepalive } from '../contract.ts'
import { keepaliveNames } from '../terms.ts'
import { About } from './about.tsx'
import { answerWords, quietWords, requestWords } from './advanced/words.ts'
import { PingAhead } from './ahead.tsx'
import { type Certificate, certificateNote } from './certificate.ts'
import { Fields, suitable } from './fields.tsx'
import { intervalInWords } from './interval.tsx'
import { Schedule } from './side.tsx'

const HoursOfList = besides(async () => (await import('./hours/hours-of-list.tsx')).HoursOfList)

type Row = Item & { url: string; certificate: Certificate }

/** A certificate that ends soon stands below the status. */
const columns = entryColumns<Row>(urlColumn).map((column) => {
  if (column.key !== 'status') return column
  const note = (row: Row) => certificateNote(row.certificate)
  return {
    ...column,
    tip: (row: Row) => [column.tip?.(row), note(row)].filter(Boolean).join(', '),
    show: (row: Row) => <Status row={row} note={note(row)} />,
  }
})

export const screens: ScreensOf<typeof keepalive> = {
  contract: keepaliveNames,
  listLead: 'URLs that are kept awake.',
  listFoot: (
    <Suspense>
      <HoursOfList />
    </Suspense>
  ),
  statusHint: 'Turn off to pause. History is kept.',
  About,
  columns,
  blank: { url: '', interval: null, quiet: null, method: 'GET', headers: [], expect: null },
  example: {
    text: 'For example, a free app that falls asleep, such as my-app.onrender.com, or a page that should always answer.',
    values: { name: 'Example page', url: 'https://example.com/' },
  },
  settingsOf: ({ url, interval, quiet, method, headers, expect }) => ({
    url,
    interval,
    quiet,
    method,
    headers,
    expect,
  }),
  withoutSecrets: ({ headers }) => ({ headers: headers.map(({ name }) => ({ name, value: '' })) }),
  words: ({ url, interval, quiet, method, headers, expect }) => ({
    URL: url,
    Interval: intervalInWords(interval),
    'Quiet hours': quietWords(quiet),
    Request: requestWords({ method, headers }),
    Answer: answerWords(expect ?? {}),
  }),
  missing: ({ url }) => (url.trim() ? [] : ['URL']),
  check: async (settings) => issuesOf((await import('../contract.ts')).keepalive.Settings, settings),
  complete: ({ url, headers }) => ({
    url: withScheme(url),
    headers: headers.filter(({ name, value }) => name.trim() !== '' || value !== ''),
  }),
  suiting: (url) => ({ interval: suitable(url) }),
  Fields,
  Ahead: PingAhead,
  Side: Schedule,
  rate: 'Uptime',
  counted: String,
  afterDelete: 'reload',
}
