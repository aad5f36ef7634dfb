import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonClass } from '../../ui/components/button.tsx'
import { PageHead } from '../../ui/components/page.tsx'
import { lastSearchAt } from '../../ui/table/list-state.ts'
import type { PageNames } from './tool-pages.ts'

const root = (tool: PageNames) => `/tools/${tool.id}`

export const modifyPath = (tool: PageNames) => `${root(tool)}/modify`
export const listPath = (tool: PageNames) => `${root(tool)}/viewlist`
export const createPath = (tool: PageNames) => `${root(tool)}/create`

export function ToolHead({ tool, title, children }: { tool: PageNames; title: string; children: ReactNode }) {
  const to = listPath(tool)
  const tabs = [
    { to: createPath(tool), label: 'Create' },
    // Leads back to the rows that the user came from.
    { to, label: 'View list', search: lastSearchAt(to) },
    { to: modifyPath(tool), label: 'Modify' },
  ]
  return (
    <PageHead title={title} oneLine tabs={tabs} above={{ to: root(tool), label: tool.label }}>
      {children}
    </PageHead>
  )
}

/** In one line, to leave room for rows. */
export const ListHead = ({ tool, children }: { tool: PageNames; children: ReactNode }) => (
  <PageHead
    title={tool.label}
    {...(children && { status: children })}
    tabs={[
      { to: root(tool), label: 'About' },
      { to: listPath(tool), label: 'View list' },
      { to: modifyPath(tool), label: 'Modify' },
    ]}
    acts={
      <Link to={createPath(tool)} className={buttonClass({ tone: 'primary' })}>
        <Plus size={15} aria-hidden="true" />
        Create
      </Link>
    }
  />
)

export const EntryHead = (props: {
  tool: PageNames
  title: string
  status: ReactNode
  acts: ReactNode
  children: ReactNode
}) => (
  <PageHead
    title={props.title}
    status={props.status}
    acts={props.acts}
    oneLine
    // Leads back to the rows that the user came from.
    above={{ to: listPath(props.tool), label: props.tool.label, search: lastSearchAt(listPath(props.tool)) }}
  >
    {props.children}
  </PageHead>
)
