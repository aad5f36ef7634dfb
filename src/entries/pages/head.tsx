import type { ReactNode } from 'react'
import { PageHead } from '../../ui/components/page.tsx'
import { lastSearchAt } from '../../ui/table/list-state.ts'
import type { PageNames } from './tool-pages.ts'

export const aboutPath = (tool: PageNames) => `/tools/${tool.id}`

export const modifyPath = (tool: PageNames) => `${aboutPath(tool)}/modify`
export const listPath = (tool: PageNames) => `${aboutPath(tool)}/viewlist`
export const createPath = (tool: PageNames) => `${aboutPath(tool)}/create`

/** A link to the list that leads back to the rows that the user came from. */
export const lastList = (tool: PageNames) => ({ to: listPath(tool), search: lastSearchAt(listPath(tool)) })

export function ToolHead({ tool, title, children }: { tool: PageNames; title: string; children: ReactNode }) {
  const tabs = [
    { to: createPath(tool), label: 'Create' },
    { ...lastList(tool), label: 'View list' },
    { to: modifyPath(tool), label: 'Modify' },
  ]
  return (
    <PageHead title={title} oneLine tabs={tabs} above={{ to: aboutPath(tool), label: tool.label }}>
      {children}
    </PageHead>
  )
}
