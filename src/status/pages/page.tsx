import { useQuery } from '@tanstack/react-query'
import { Copy, ExternalLink } from 'lucide-react'
import { Button, buttonClass } from '../../ui/components/button.tsx'
import { copy } from '../../ui/components/copy.ts'
import { Loading } from '../../ui/components/logo.tsx'
import { PageHead, Part } from '../../ui/components/page.tsx'
import { ReachNote } from '../../ui/components/reach-note.tsx'
import { read, useCall } from '../../ui/data/call.ts'
import { queryClient } from '../../ui/data/query.ts'
import { useBaseUrl } from '../../ui/data/server-config.ts'
import { useSlow } from '../../ui/debounce.ts'
import { ActionBar } from '../../ui/form/actions/action-bar.tsx'
import { DeleteButton } from '../../ui/form/actions/delete-button.tsx'
import { SavedFields } from '../../ui/form/actions/save-button.tsx'
import { AreaField } from '../../ui/form/area-field.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { useEditor } from '../../ui/form/editor.ts'
import { TextField } from '../../ui/form/field.tsx'
import { labelledInputs, missingIn, valuesOf } from '../../ui/form/fields.ts'
import { issuesOf } from '../../ui/form/issues.ts'
import { useTitle } from '../../ui/navigation/title.ts'
import { succeed } from '../../ui/toasts.ts'
import type { StatusPage } from '../contract.ts'
import { FindEntries, PageEntries } from './page-entries.tsx'
import css from './status.module.css'
import { bodyOf, cleanSlug, type EntryTool, pageFields } from './values.ts'

const pageQuery = read('GET /api/v1/user/status')
const keep = (page: StatusPage) => queryClient.setQueryData(pageQuery.queryKey, page)

type Tab = { to: string; label: string }

/** Makes the user's public status page. */
export function StatusPageEditor({ tools, tabs }: { tools: readonly EntryTool[]; tabs: readonly Tab[] }) {
  useTitle('Status Page')
  const { data: page, isLoading } = useQuery(pageQuery)
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

const longestText = 2_000

function Form({ page, tools }: { page: StatusPage; tools: readonly EntryTool[] }) {
  const baseUrl = useBaseUrl() ?? location.origin
  const draft = useDraft(valuesOf(pageFields, page))
  const { values, errors, set } = draft
  const field = labelledInputs(draft, pageFields)
  const save = useCall('PUT /api/v1/user/status', { onSuccess: keep })
  const remove = useCall('DELETE /api/v1/user/status', {
    onSuccess: () => keep({ slug: null, title: '', text: '', entries: [], url: null, updatedAt: null }),
  })
  const editor = useEditor({
    draft,
    missing: missingIn(pageFields, values),
    body: () => bodyOf(values),
    check: async (body) => issuesOf((await import('../contract.ts')).StatusPageBody, body),
    mutation: save,
    onSaved: () => {
      draft.markSaved()
      succeed(page.slug === null ? 'Your status page is public now.' : 'Successfully updated status page.')
    },
  })
  return (
    <>
      <ActionBar label="Status page actions" editor={editor} onReset={draft.reset}>
        {page.slug !== null && (
          <DeleteButton
            id={`/status/${page.slug}`}
            noun="status page"
            busy={remove.isPending}
            onDelete={() => remove.mutateAsync()}
            onDeleted={() => {
              draft.reset()
              succeed('Successfully deleted status page.')
            }}
          />
        )}
      </ActionBar>
      <SavedFields>
        <div className={css.split}>
          <Part aria-label="About the page">
            <h2>Page</h2>
            {page.url !== null && <Links url={page.url} />}
            <TextField
              {...field('slug')}
              code
              placeholder="my-services"
              spellCheck={false}
              autoCapitalize="none"
              autoComplete="off"
              hint={`${baseUrl}/status/${values.slug || '…'}`}
              onChange={(text) => set('slug', cleanSlug(text))}
            />
            <ReachNote url={baseUrl} others="visitors" />
            <TextField {...field('title')} maxLength={80} autoComplete="off" />
            <AreaField {...field('text')} most={longestText} />
            <p className={css.note}>
              Everyone with the address sees the names of the entries you choose, their status, the last 90 days and
              their incidents. URLs are shown only where you turn that on.
            </p>
          </Part>
          <Part aria-label="Entries on the page">
            <h2>Entries</h2>
            <FindEntries
              chosen={values.entries}
              tools={tools}
              onAdd={(added) => set('entries', [...values.entries, ...added])}
            />
            {errors.entries && (
              <p className={css.error} role="alert">
                {errors.entries}
              </p>
            )}
            <PageEntries entries={values.entries} tools={tools} onChange={(entries) => set('entries', entries)} />
          </Part>
        </div>
      </SavedFields>
    </>
  )
}

/** The page as it is public now. */
const Links = ({ url }: { url: string }) => (
  <div className={css.links}>
    <a className={buttonClass({ size: 'small' })} href={new URL(url).pathname} target="_blank" rel="noreferrer">
      <ExternalLink size={14} aria-hidden="true" />
      Open page
    </a>
    <Button size="small" onClick={() => void copy(url)}>
      <Copy size={14} aria-hidden="true" />
      Copy address
    </Button>
    <Button size="small" onClick={() => void copy(`${url}/feed.xml`)}>
      <Copy size={14} aria-hidden="true" />
      Copy feed
    </Button>
  </div>
)
