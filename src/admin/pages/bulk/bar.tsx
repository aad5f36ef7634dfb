import { useQuery } from '@tanstack/react-query'
import { CircleUserRound, ShieldCheck, Tags, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ConfirmModal } from '../../../ui/components/modal/confirm-modal.tsx'
import type { Matches } from '../../../ui/table/rows/use-rows.ts'
import type { Selection } from '../../../ui/table/selection/selection.ts'
import { ActButton, SelectionBar } from '../../../ui/table/selection/selection-bar.tsx'
import { togetherQuery, useActOnUsers, type Wanted } from './calls.ts'
import { RolesModal } from './roles-modal.tsx'
import { StatusModal } from './status-modal.tsx'
import { TagsModal } from './tags-modal.tsx'
import { deleteConsequence, users } from './words.ts'

type Question = 'status' | 'roles' | 'tags' | 'delete'

/** What can be done with the selected users, in place of the pages. */
export function UserBar(props: { selection: Selection; source: Matches }) {
  const { selection } = props
  const ids = [...selection.ids]
  const [asking, setAsking] = useState<Question>()
  /** Each question begins anew. */
  const [round, setRound] = useState(0)
  const [progress, setProgress] = useState(0)
  const close = () => setAsking(undefined)
  const many = useActOnUsers(setProgress, ({ done }) => {
    close()
    // Those who were refused stay selected, to be tried again, and so do those who were selected meanwhile.
    selection.toggle(done, false)
  })
  const { data: all } = useQuery({ ...togetherQuery(ids), enabled: asking === 'status' || asking === 'delete' })
  const ask = (question: Question) => {
    setRound(round + 1)
    setAsking(question)
  }
  const start = (wanted: Wanted) => {
    setProgress(0)
    many.mutate({ ids, wanted })
  }
  const busy = many.isPending
  const dialog = { count: ids.length, busy, onClose: close, onSave: start }
  const these = ids.length === 1 ? 'this user' : `these ${users(ids.length)}`
  return (
    <>
      <SelectionBar label="Selected users" {...props} busy={busy} progress={progress}>
        <ActButton Icon={CircleUserRound} disabled={busy} onClick={() => ask('status')}>
          Status…
        </ActButton>
        <ActButton Icon={ShieldCheck} disabled={busy} onClick={() => ask('roles')}>
          Roles…
        </ActButton>
        <ActButton Icon={Tags} disabled={busy} onClick={() => ask('tags')}>
          Tags…
        </ActButton>
        <ActButton Icon={Trash2} danger disabled={busy} onClick={() => ask('delete')}>
          Delete…
        </ActButton>
      </SelectionBar>
      <StatusModal key={`status ${round}`} open={asking === 'status'} all={all} {...dialog} />
      <RolesModal key={`roles ${round}`} open={asking === 'roles'} {...dialog} />
      <TagsModal key={`tags ${round}`} open={asking === 'tags'} {...dialog} />
      <ConfirmModal
        open={asking === 'delete'}
        title={`Delete ${users(ids.length)} ?`}
        description={`Are you sure you want to delete ${these}? ${all ? deleteConsequence(all) : 'Their entries will be deleted too.'}`}
        no="No"
        yes="Yes, Nuke it"
        busy={busy}
        onClose={close}
        onConfirm={() => start('delete')}
      />
    </>
  )
}
