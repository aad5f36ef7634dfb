import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Loading } from '../../ui/components/logo.tsx'
import { Card } from '../../ui/components/page.tsx'
import { useSessionUser } from '../../ui/data/session.ts'
import { useSlow } from '../../ui/debounce.ts'
import { ActionBar } from '../../ui/form/actions/action-bar.tsx'
import { PageForm } from '../../ui/form/actions/save-button.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { useEditor } from '../../ui/form/editor.ts'
import { blankOf, missingIn, valuesOf } from '../../ui/form/fields.ts'
import { useNavigatePreloaded } from '../../ui/navigation/screen.ts'
import { useTitle } from '../../ui/navigation/title.ts'
import { entryQuery, useCreate } from './calls.ts'
import { Editor, validateEntry, withCommonFields } from './editor.tsx'
import { modifyPath, ToolHead } from './head.tsx'
import css from './pages.module.css'
import type { Detail, EntryScreens, Values } from './tool-pages.ts'

type Props = { screens: EntryScreens }

/** The form of a new entry, prefilled from another (`?from=`), with a URL (`?url=`) or an example (`?example=`). */
export function CreatePage({ screens }: Props) {
  const { contract } = screens
  useTitle(`Create ${contract.label}`)
  const search: { from?: string; url?: string; example?: unknown } = useSearch({ strict: false })
  const { from = '', url = '' } = search
  const hasExample = search.example !== undefined
  // Loaded once: a form that is already shown isn't replaced, even if loading had failed.
  const original = useQuery({ ...entryQuery(contract, from), enabled: from !== '', staleTime: 'static' })
  // A failed query may be sent again, as when the live stream opens.
  const isAwaited = original.isLoading && !original.isFetchedAfterMount
  const slow = useSlow(isAwaited)
  const copied = from === '' ? undefined : original.data
  return (
    <>
      <ToolHead tool={contract} title="Create">
        {leadOf(copied !== undefined, hasExample, screens.run)}
      </ToolHead>
      {isAwaited ? (
        slow && <Loading />
      ) : (
        <CreateForm
          key={`${from} ${url} ${hasExample}`}
          screens={screens}
          original={copied}
          url={url}
          example={hasExample ? screens.example.values : undefined}
        />
      )}
    </>
  )
}

function leadOf(isCopy: boolean, isExample: boolean, run: string): string {
  if (isCopy) return 'A copy of another entry. Secrets are not copied.'
  if (isExample) return 'An example: change it to what you need. Nothing is saved yet.'
  // A relay posts its first message on Heroku's first event.
  return run === 'message' ? 'Posts to Discord what Heroku reports.' : 'Checks start as soon as you save.'
}

const longestName = 80
const copied = ' copy'

/** The initial values of a copy of this entry. The owner isn't copied: it is the user who makes the copy. */
const copyOf = ({ fields, withoutSecrets }: Pick<EntryScreens, 'fields' | 'withoutSecrets'>, original: Detail) => {
  const settings = valuesOf(fields, original)
  // A shortened name must not end in half of a surrogate pair, which the server refuses.
  const start = original.name?.slice(0, longestName - copied.length).replace(/[\ud800-\udbff]$/, '')
  const name = start === undefined ? '' : `${start}${copied}`
  const { status, notifyAfter } = original
  return { ...settings, ...withoutSecrets?.(settings), name, status, notifyAfter }
}

function CreateForm(
  props: Props & {
    original: Detail | undefined
    url: string
    example: Partial<Values> | undefined
  },
) {
  const { screens, original, url, example } = props
  const { contract } = screens
  const fields = withCommonFields(screens.fields)
  const openEntry = useNavigatePreloaded()
  const owner = useSessionUser()?.email ?? ''
  const blank: Values = { ...blankOf(fields), owner }
  // The owner stays the user who was signed in when the form was opened.
  const [first] = useState({
    ...blank,
    ...example,
    ...(original && copyOf(screens, original)),
    ...(url !== '' && 'url' in blank && { url, ...screens.settingsForUrl?.(url) }),
  })
  const draft = useDraft(first)
  const create = useCreate(contract)
  const editor = useEditor({
    draft,
    missing: missingIn(fields, draft.values),
    body: () => ({ ...draft.values, ...screens.complete?.(draft.values) }),
    check: (values) => validateEntry(screens, values),
    mutation: create,
    once: true,
    onSaved: ({ id }) => {
      draft.handOver(id)
      void openEntry({ to: modifyPath(contract), search: { id } })
    },
  })
  return (
    <>
      <ActionBar label="Entry actions" editor={editor} onReset={() => draft.replace(blank)} />
      <PageForm>
        <div className={css.split}>
          <Editor screens={screens} draft={draft} />
          <div className={css.side}>
            <screens.NextSteps draft={draft} />
            {screens.Apart && (
              <Card className={css.apart}>
                <screens.Apart draft={draft} />
              </Card>
            )}
          </div>
        </div>
      </PageForm>
    </>
  )
}
