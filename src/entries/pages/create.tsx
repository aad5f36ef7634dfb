import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useSessionUser } from '../../ui/data/session.ts'
import { ActionBar } from '../../ui/form/actions/action-bar.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { useEditor } from '../../ui/form/editor.ts'
import { useTitle } from '../../ui/navigation/title.ts'
import { useCreate } from './calls.ts'
import { Editor } from './editor.tsx'
import { modifyPath, ToolHead } from './head.tsx'
import css from './pages.module.css'
import type { Common, Detail, EntryScreens, Item } from './tool-pages.ts'

/** The form of a new entry. */
export function CreatePage<Row extends Item, Entry extends Detail, Settings extends object>({
  screens,
}: {
  screens: EntryScreens<Row, Entry, Settings>
}) {
  const { contract } = screens
  useTitle(`Create ${contract.label}`)
  const navigate = useNavigate()
  const owner = useSessionUser()?.email ?? ''
  const blank: Settings & Common = { ...screens.blank, status: true, owner }
  // The owner stays who was signed in when the form was opened.
  const [first] = useState(blank)
  const draft = useDraft(first)
  const create = useCreate<Settings>(contract)
  const editor = useEditor({
    draft,
    missing: screens.missing(draft.values),
    body: () => draft.values,
    check: screens.check,
    mutation: create,
    once: true,
    onSaved: ({ id }) => {
      draft.replace(draft.values)
      void navigate({ to: modifyPath(contract), search: { id } })
    },
  })
  return (
    <>
      <ToolHead tool={contract} title="Create">
        It starts as soon as you save.
      </ToolHead>
      <ActionBar label="Entry actions" editor={editor} onReset={() => draft.replace(blank)} />
      <div className={css.narrow}>
        <Editor screens={screens} draft={draft} />
      </div>
    </>
  )
}
