import { useNavigate } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { Button } from '../../ui/components/button.tsx'
import { useSessionUser } from '../../ui/data/session.ts'
import { ActionBar } from '../../ui/form/actions/action-bar.tsx'
import { SaveButton, warnOfMissing } from '../../ui/form/actions/save-button.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { useLeaveGuard, useSaveKey } from '../../ui/form/guards.ts'
import { refuse } from '../../ui/form/refuse.ts'
import { useTitle } from '../../ui/navigation/title.ts'
import { useCreate } from './calls.ts'
import { Editor } from './editor.tsx'
import { modifyPath, ToolHead } from './head.tsx'
import css from './pages.module.css'
import type { Common, EntryScreens, Item, Whole } from './tool-pages.ts'

/** A blank entry to fill in. */
export function CreatePage<Row extends Item, Entry extends Whole, Settings extends object>({
  screens,
}: {
  screens: EntryScreens<Row, Entry, Settings>
}) {
  const { contract } = screens
  useTitle(`Create ${contract.label}`)
  const navigate = useNavigate()
  const owner = useSessionUser()?.email ?? ''
  const blank: Settings & Common = { ...screens.blank, status: true, owner }
  const draft = useDraft(blank)
  const create = useCreate<Settings>(contract)
  // Until the new entry's own screen is there, this one stands: saved again, it would make a second entry.
  const made = create.isPending || create.isSuccess
  const missing = screens.missing(draft.values)
  const save = () => {
    if (made) return
    if (missing.length > 0) return warnOfMissing(missing)
    const wrong = screens.check(draft.values)
    draft.refuse(wrong)
    if (Object.keys(wrong).length > 0) return
    create.mutate(draft.values, {
      onSuccess: ({ id }) => {
        draft.replace(draft.values)
        void navigate({ to: modifyPath(contract), search: { id } })
      },
      onError: (error) => refuse(draft, error),
    })
  }
  useLeaveGuard(draft.isChanged)
  useSaveKey(save)
  return (
    <>
      <ToolHead tool={contract} title="Create">
        Runs start as soon as you save.
      </ToolHead>
      <ActionBar label="Entry actions" changed={draft.changed}>
        <SaveButton missing={missing} busy={made} onSave={save} />
        <Button onClick={() => draft.replace(blank)}>
          <RotateCcw size={15} aria-hidden="true" />
          Reset
        </Button>
      </ActionBar>
      <div className={css.narrow}>
        <Editor screens={screens} draft={draft} />
      </div>
    </>
  )
}
