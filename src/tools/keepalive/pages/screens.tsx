import { entryColumns, urlColumn } from '../../../entries/pages/columns.tsx'
import { NextRun } from '../../../entries/pages/history/next-run.tsx'
import type { Detail, ScreensOf } from '../../../entries/pages/tool-pages.ts'
import { minutes } from '../../../shared/time.ts'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { withScheme } from '../../../ui/form/web-address.ts'
import { formatInterval } from '../../../ui/format-time.ts'
import type { keepalive } from '../contract.ts'
import { keepaliveTool } from '../tool.ts'
import { About } from './about.tsx'
import { PingAhead } from './ahead.tsx'
import { Fields } from './fields.tsx'

function Schedule({ entry }: { entry: Detail & { interval: number | null } }) {
  const defaultInterval = useDefaultInterval(keepaliveTool.id)
  const interval = entry.interval === null ? defaultInterval : minutes(entry.interval)
  return <NextRun tool={keepaliveTool} entry={entry} interval={interval} />
}

export const screens: ScreensOf<typeof keepalive> = {
  contract: keepaliveTool,
  listLead: 'URLs that are kept awake.',
  statusHint: 'Turn off to pause. History is kept.',
  About,
  columns: entryColumns(urlColumn),
  blank: { url: '', interval: null, quiet: null },
  settingsOf: ({ url, interval, quiet }) => ({ url, interval, quiet }),
  words: ({ url, interval }) => ({
    URL: url,
    Interval: interval === null ? 'Default' : formatInterval(minutes(interval)),
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
