import { entryColumns, urlColumn } from '../../../entries/pages/columns.tsx'
import type { ScreensOf } from '../../../entries/pages/tool-pages.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { ghmdinvalidator } from '../contract.ts'
import { About } from './about.tsx'
import { Fields } from './fields.tsx'
import { Hook } from './hook.tsx'
import { Side } from './side.tsx'

export const screens: ScreensOf<typeof ghmdinvalidator> = {
  contract: ghmdinvalidator,
  listLead: 'GitHub pages whose images are kept fresh.',
  statusHint: 'Turn off to pause. History is kept.',
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
