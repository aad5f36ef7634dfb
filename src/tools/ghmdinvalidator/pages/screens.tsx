import { entryColumns, urlColumn } from '../../../entries/pages/columns.tsx'
import type { ScreensOf } from '../../../entries/pages/tool-pages.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { ghmdinvalidator } from '../contract.ts'
import { About } from './about.tsx'
import { Fields } from './fields.tsx'
import { Hook } from './hook.tsx'
import { Side } from './side.tsx'

export const ghmdinvalidatorScreens: ScreensOf<typeof ghmdinvalidator> = {
  contract: ghmdinvalidator,
  listLead: 'Every page whose images are kept fresh.',
  statusHint: 'Switch off to pause the purges; the history stays.',
  About,
  columns: entryColumns(urlColumn),
  blank: { url: '' },
  settingsOf: ({ url }) => ({ url }),
  words: ({ url }) => ({ URL: url }),
  missing: ({ url }) => (url.trim() ? [] : ['URL']),
  check: (settings) => issuesOf(ghmdinvalidator.Settings, settings),
  Fields,
  Side,
  Reach: Hook,
  afterDelete: 'blank',
}
