import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../ui/components/page/logo.tsx'
import { PageHead } from '../../ui/components/page/page.tsx'
import { useSlow } from '../../ui/debounce.ts'
import { useTitle } from '../../ui/navigation/title.ts'
import { statusPageQuery } from './calls.ts'
import { Form } from './form.tsx'
import type { EntryTool } from './values.ts'

type Tab = { to: string; label: string }

/** Makes the user's public status page. */
export function StatusPageEditor({ tools, tabs }: { tools: readonly EntryTool[]; tabs: readonly Tab[] }) {
  useTitle('Status Page')
  const { data: page, isLoading } = useQuery(statusPageQuery)
  const slow = useSlow(isLoading)
  return (
    <>
      <PageHead title="Status Page" tabs={tabs} tabsLabel="Your account">
        A public page that shows how the entries you choose are doing
      </PageHead>
      {!page && slow && <Loading />}
      {page && <Form page={page} tools={tools} />}
    </>
  )
}
