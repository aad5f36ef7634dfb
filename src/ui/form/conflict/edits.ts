import { useIsMutating } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { currentOf, statusOf } from '../../data/api.ts'
import { lazyWhenIdle } from '../../navigation/lazy.ts'
import { type Merge, useDraft } from '../draft.ts'

/** A record with its last edit; instants are epoch milliseconds. */
export type Edited = {
  id: string
  updatedAt: number
  changedBy: string | null
  changedById: string | null
  changedAt: number
}
/** The result of an edit: the saved record, or the current one if somebody else has edited it meanwhile. */
type EditOutcome<Row> = { saved: Row } | { current: Row }

/** The result of an edit, which the server refuses if somebody has edited the record since its `ifUpdatedAt`. */
export async function outcomeOf<Row>(edit: Promise<Row>): Promise<EditOutcome<Row>> {
  try {
    return { saved: await edit }
  } catch (error) {
    const current = currentOf<Row>(error)
    if (current === undefined) throw error
    return { current }
  }
}

type Version = Pick<Edited, 'id' | 'updatedAt'>
const keyOf = ({ id, updatedAt }: Version) => `${id} ${updatedAt}`
const besideForms = new Set<string>()
/** Notes an edit that this tab made outside of the record's form, which is no conflict with it. */
export const noteEdit = (version: Version) => void besideForms.add(keyOf(version))
/** The same of several records: the instant of each edit by the record's id. */
export function noteEdits(edits: Readonly<Record<string, number>> = {}) {
  for (const [id, updatedAt] of Object.entries(edits)) noteEdit({ id, updatedAt })
}

const none: Version[] = []

const useConflictModal = lazyWhenIdle(async () => (await import('./conflict-modal.tsx')).ConflictModal)

/**
 * The form of a record that others may edit meanwhile: the draft over the latest version, the version it began with, and
 * the dialog to show if that is no longer the latest.
 */
export function useEdits<Row extends Edited, Values extends object>(
  record: Row,
  valuesOf: (record: Row) => Values,
  merge?: Merge<Values>,
) {
  // The answer of a save is the latest version until the record is loaded again.
  const [answer, setAnswer] = useState<{ row: Row; over: Row }>()
  const latest = answer?.over === record ? answer.row : record
  const draft = useDraft(valuesOf(latest), merge, record.id)
  // The record may show an edit of this tab before the answer does, so nobody else is blamed until that has come.
  const isEditing = useIsMutating({ predicate: ({ state }) => Object(state.variables).id === record.id }) > 0
  const [before, setBefore] = useState({ began: latest, since: none })
  const known = before.since.at(-1) ?? before.began
  const since = known.updatedAt === latest.updatedAt ? before.since : [...before.since, latest]
  // An edit beside the form counts as seen, no matter who edits the record next, but not what somebody else edited before it.
  const isChanged = draft.changed && since.some((version) => !besideForms.has(keyOf(version)))
  const began = isChanged ? before.began : latest
  const open = isChanged ? since : none
  useEffect(() => setBefore({ began, since: open }), [began, open])
  const { Component, load } = useConflictModal()
  const [isOpen, setOpen] = useState(false)
  const [isGone, setGone] = useState(false)
  return {
    draft,
    latest,
    valuesOf,
    /** The version that the form showed when the first change was made, or a later one that this tab made beside it. */
    began,
    isOutdated: isChanged && !isEditing,
    /** Takes the result of a save; returns the saved record, or undefined if the user has to choose between two versions. */
    take: (outcome: EditOutcome<Row>): Row | undefined => {
      const row = 'saved' in outcome ? outcome.saved : outcome.current
      setAnswer({ row, over: record })
      if ('current' in outcome) return void load().then(setOpen)
      setOpen(false)
      setBefore({ began: row, since: none })
      draft.markSaved()
      return row
    },
    close: () => setOpen(false),
    isOpen,
    /** Handles a failed save: the record may have been deleted. */
    fail: (error: unknown) => {
      setOpen(false)
      if (statusOf(error) === 404) setGone(true)
    },
    /** Whether a save found that the record no longer exists. */
    isGone: draft.changed && isGone,
    Modal: Component,
  }
}
export type Edits<Row extends Edited, Values extends object> = ReturnType<typeof useEdits<Row, Values>>
