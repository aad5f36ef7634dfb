import { Suspense } from 'react'
import { entryColumns, urlColumn } from '../../../entries/pages/columns.tsx'
import { NextRun } from '../../../entries/pages/history/next-run.tsx'
import type { Detail, ScreensOf } from '../../../entries/pages/tool-pages.ts'
import { minutes } from '../../../shared/time.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { withScheme } from '../../../ui/form/web-address.ts'
import { besides } from '../../../ui/navigation/idle.ts'
import type { keepalive } from '../contract.ts'
import { keepaliveTool } from '../tool.ts'
import { About } from './about.tsx'
import { PingAhead } from './ahead.tsx'
import { Fields } from './fields.tsx'
import { intervalInWords } from './interval.tsx'

const HoursOfList = besides(async () => (await import('./hours/hours-of-list.tsx')).HoursOfList)

const Schedule = ({ entry }: { entry: Detail & { every: number } }) => (
  <NextRun tool={keepaliveTool} entry={entry} interval={minutes(entry.every)} />
)

export const screens: ScreensOf<typeof keepalive> = {
  contract: keepaliveTool,
  listLead: (
    <>
      URLs that are kept awake.
      <Suspense>
        <HoursOfList />
      </Suspense>
    </>
  ),
  statusHint: 'Turn off to pause. History is kept.',
  About,
  columns: entryColumns(urlColumn),
  blank: { url: '', interval: null, quiet: null, method: 'GET', headers: [], expect: null },
  settingsOf: ({ url, interval, quiet, method, headers, expect }) => ({
    url,
    interval,
    quiet,
    method,
    headers,
    expect,
  }),
  withoutSecrets: ({ headers }) => ({ headers: headers.map(({ name }) => ({ name, value: '' })) }),
  words: ({ url, interval }) => ({
    URL: url,
    Interval: intervalInWords(interval),
  }),
  missing: ({ url }) => (url.trim() ? [] : ['URL']),
  check: async (settings) => issuesOf((await import('../contract.ts')).keepalive.Settings, settings),
  complete: ({ url }) => ({ url: withScheme(url) }),
  Fields,
  Ahead: PingAhead,
  Side: Schedule,
  rate: 'Uptime',
  counted: String,
  afterDelete: 'reload',
}
