import { entryColumns, urlColumn } from '../../../entries/pages/columns.tsx'
import { NextRun } from '../../../entries/pages/history/next-run.tsx'
import type { Detail, ScreensOf } from '../../../entries/pages/tool-pages.ts'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import { withScheme } from '../../../ui/form/address/web-address.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import type { ghmdinvalidator } from '../contract.ts'
import { ghmdinvalidatorNames } from '../terms.ts'
import { About } from './about.tsx'
import { PurgeAhead } from './ahead.tsx'
import { CheckLink } from './check/check-link.tsx'
import { Fields } from './fields.tsx'
import { Hook } from './hook.tsx'
import { LastImages } from './last-images.tsx'
import { modeWords } from './words.ts'

function Side({ entry }: { entry: Detail }) {
  const interval = useDefaultInterval(ghmdinvalidatorNames.id)
  return (
    <>
      <NextRun tool={ghmdinvalidatorNames} entry={entry} interval={interval} />
      <LastImages id={entry.id} lastRunAt={entry.lastRun?.timestamp} />
    </>
  )
}

export const screens: ScreensOf<typeof ghmdinvalidator> = {
  contract: ghmdinvalidatorNames,
  listLead: (
    <>
      GitHub pages whose images are kept fresh. <CheckLink />
    </>
  ),
  statusHint: 'Turn off to pause. History is kept.',
  About,
  columns: entryColumns(urlColumn),
  blank: { url: '', mode: 'always' },
  example: {
    text: 'For example, a readme whose badges should be fresh, such as github.com/octocat/Hello-World.',
    values: { name: 'Readme of Hello-World', url: 'https://github.com/octocat/Hello-World', mode: 'stale' },
  },
  settingsOf: ({ url, mode }) => ({ url, mode }),
  words: ({ url, mode }) => ({ URL: url, Purge: modeWords[mode] }),
  missing: ({ url }) => (url.trim() ? [] : ['URL']),
  check: async (settings) => issuesOf((await import('../contract.ts')).ghmdinvalidator.Settings, settings),
  complete: ({ url }) => ({ url: withScheme(url) }),
  Fields,
  Ahead: PurgeAhead,
  Side,
  Reach: Hook,
  rate: 'Success rate',
  counted: (count) => `${count} purged`,
  plotted: 'Images purged',
  afterDelete: 'blank',
}
