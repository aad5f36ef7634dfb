import { usersSource } from './admin/pages/calls.ts'
import { ownTitles } from './entries/define-tool.ts'
import { entriesSource } from './entries/pages/calls.ts'
import { pageEntries } from './shared/pages.ts'
import { can, type SessionUser } from './shared/user.ts'
import { tools } from './tools/index.ts'
import { useSessionUser } from './ui/data/session.ts'
import type { Hit } from './ui/search/hits.ts'
import { SearchPanel } from './ui/search/panel.tsx'
import type { PanelProps } from './ui/search/search-button.tsx'

export function SearchEverything(props: PanelProps) {
  const user = useSessionUser()
  return user && <SearchPanel key={user.id} {...props} pages={pagesFor(user)} sources={sourcesFor(user)} />
}

const page = (to: string, label: string): Hit => ({ key: to, label, to })

const entryTitles = { viewlist: 'View list', create: 'Create', modify: 'Modify' }

const toolPages = tools.flatMap((tool) => {
  const { id, label, kind } = tool
  const root = `/tools/${id}`
  const titles = { ...(kind === 'entries' && entryTitles), ...ownTitles(tool) }
  const below = Object.entries(titles).map(([path, title]) => page(`${root}/${path}`, `${label}: ${title}`))
  return [page(root, label), ...below]
})

function pagesFor(user: SessionUser): Hit[] {
  const ofTools = can(user, 'Tools', 1) ? toolPages : toolPages.filter(({ to }) => isOpen(to))
  return [
    page('/', 'Home'),
    ...ofTools,
    ...pageEntries.flatMap(([, { path, title, role }]) =>
      title && (!role || can(user, ...role)) ? [page(path, title)] : [],
    ),
  ]
}

/** Pages of a single-page tool need no role. */
const isOpen = (to: string) => tools.some(({ id, kind }) => kind === 'page' && `${to}/`.startsWith(`/tools/${id}/`))

const entries = entriesSource(tools)
const sourcesFor = (user: SessionUser) => [
  ...(can(user, 'Tools', 1) ? [entries] : []),
  ...(can(user, 'Admin', 1) ? [usersSource] : []),
]
