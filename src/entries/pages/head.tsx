import { useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PageHead } from '../../ui/components/page.tsx'
import { lastSearchAt } from '../../ui/table/list-state.ts'
import type { PageNames } from './tool-pages.ts'

const root = (tool: PageNames) => `/tools/${tool.id}`

export const modifyPath = (tool: PageNames) => `${root(tool)}/modify`
export const listPath = (tool: PageNames) => `${root(tool)}/viewlist`
export const createPath = (tool: PageNames) => `${root(tool)}/create`

/** The head of a tool's screen, with tabs for all three. */
export function ToolHead(props: { tool: PageNames; title: string; status?: ReactNode; children: ReactNode }) {
  const { tool, title, children } = props
  const to = listPath(tool)
  const isList = useLocation({ select: ({ pathname }) => pathname === to })
  const tabs = [
    { to: createPath(tool), label: 'Create' },
    // Back to the rows that one came from.
    { to, label: 'View list', ...(!isList && { search: lastSearchAt(to) }) },
    { to: modifyPath(tool), label: 'Modify' },
  ]
  return (
    <PageHead
      title={title}
      {...('status' in props && { status: props.status })}
      oneLine
      tabs={tabs}
      {...(title !== tool.label && { above: { to: root(tool), label: tool.label } })}
    >
      {children}
    </PageHead>
  )
}
