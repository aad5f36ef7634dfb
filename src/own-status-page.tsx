import { ownTabsFor } from './people/pages/own-tabs.ts'
import { StatusPageEditor } from './status/pages/page.tsx'
import { tools } from './tools/index.ts'
import { useSessionUser } from './ui/data/session.ts'

const withEntries = tools.filter((tool) => tool.kind === 'entries')

/** The user's own status page, among the other screens of their account. */
export const OwnStatusPage = () => <StatusPageEditor tools={withEntries} tabs={ownTabsFor(useSessionUser())} />
