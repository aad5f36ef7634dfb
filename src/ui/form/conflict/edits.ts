import { useState } from 'react'
import { api, currentOf, statusOf } from '../../data/api.ts'
import { later } from '../../navigation/idle.ts'
import { type Merge, useDraft } from '../draft.ts'

/** A record as somebody left it; instants are epoch milliseconds. */
export type Edited = {
  id: string
  updatedAt: number
  changedBy: string | null
  changedById: string | null
  changedAt: number
}
/** What came of an edit: the record as it is saved, or as somebody else left it in the meantime. */
export type EditOutcome<Row> = { saved: Row } | { current: Row }

/** Sends an edit, for nothing when somebody edited the record since `ifUpdatedAt`. */
export async function sendEdit<Row>(path: string, body: object): Promise<EditOutcome<Row>> {
  try {
    return { saved: (await api.patch<Row>(path, body)).data }
  } catch (error) {
    const current = currentOf<Row>(error)
    if (current === undefined) throw error
    return { current }
  }
}

const besideForms = new Map<string, number>()
/** An edit that this tab made beside a record's form, which is no news to whoever fills it in. */
export const noteEdit = ({ id, updatedAt }: Pick<Edited, 'id' | 'updatedAt'>) => void besideForms.set(id, updatedAt)

const useConflictModal = later(async () => (await import('../../components/modal/conflict-modal.tsx')).ConflictModal)

/**
 * The form of a record that others may edit meanwhile: what is typed over its latest version, which version it began
 * with, and the dialog for when that is not the latest any more.
 */
export function useEdits<Row extends Edited, Values extends object>(
  record: Row,
  valuesOf: (record: Row) => Values,
  merge?: Merge<Values>,
) {
  // What a save answered is the latest until the record itself comes anew.
  const [answer, setAnswer] = useState<{ row: Row; over: Row }>()
  const latest = answer?.over === record ? answer.row : record
  const draft = useDraft(valuesOf(latest), merge)
  const [first, setFirst] = useState(latest)
  const isBeside = besideForms.get(latest.id) === latest.updatedAt
  const began = draft.changed && !isBeside ? first : latest
  const { Component, load } = useConflictModal()
  const [isOpen, setOpen] = useState(false)
  const [isGone, setGone] = useState(false)
  const set: typeof draft.set = (name, value) => {
    if (!draft.isChanged() || isBeside) setFirst(latest)
    draft.set(name, value)
  }
  return {
    draft: { ...draft, set },
    latest,
    valuesOf,
    /** What the form was filled from when the first change was typed. */
    began,
    isOutdated: began.updatedAt !== latest.updatedAt,
    /** Takes in what came of a save: the record as saved; none where somebody has to choose between both versions. */
    take: (outcome: EditOutcome<Row>): Row | undefined => {
      const row = 'saved' in outcome ? outcome.saved : outcome.current
      setAnswer({ row, over: record })
      if ('current' in outcome) return void load().then(setOpen)
      setOpen(false)
      draft.reset()
      return row
    },
    close: () => setOpen(false),
    isOpen,
    /** Takes note of a save that failed: the record may be deleted. */
    fail: (error: unknown) => {
      setOpen(false)
      if (statusOf(error) === 404) setGone(true)
    },
    /** Whether a save did not find the record any more. */
    isGone: draft.changed && isGone,
    Modal: Component,
  }
}
export type Edits<Row extends Edited, Values extends object> = ReturnType<typeof useEdits<Row, Values>>
