import { useIsMutating } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { currentRecordOf, statusOf } from '../../data/api.ts'
import { lazyWhenIdle } from '../../navigation/lazy.ts'
import { type Merge, useDraft } from '../draft.ts'

/** A record with its last edit; instants are epoch milliseconds. */
export type VersionedRecord = {
  id: string
  updatedAt: number
  changedBy: string | null
  changedById: string | null
  changedAt: number
}
/** The result of an edit: the saved record, or the current one if it has been edited meanwhile. */
type EditOutcome<Row> = { saved: Row } | { current: Row }

/** Awaits an edit, which the server refuses if the record has been edited since its `ifUpdatedAt`. */
export async function outcomeOf<Row>(edit: Promise<Row>): Promise<EditOutcome<Row>> {
  try {
    return { saved: await edit }
  } catch (error) {
    const current = currentRecordOf<Row>(error)
    if (current === undefined) throw error
    return { current }
  }
}

type Version = Pick<VersionedRecord, 'id' | 'updatedAt'>
const keyOf = ({ id, updatedAt }: Version) => `${id} ${updatedAt}`
const editsOutsideForms = new Set<string>()
/** Records an edit that this tab made outside the record's form, so that the form doesn't treat it as a conflict. */
export const noteEdit = (version: Version) => void editsOutsideForms.add(keyOf(version))
/** Does the same for several records: the instant of each edit, keyed by record id. */
export function noteEdits(edits: Readonly<Record<string, number>> = {}) {
  for (const [id, updatedAt] of Object.entries(edits)) noteEdit({ id, updatedAt })
}

const none: Version[] = []

const useConflictModal = lazyWhenIdle(async () => (await import('./conflict-modal.tsx')).ConflictModal)

/** The form of a record that other users may edit meanwhile: its draft, its versions, and the dialog for a conflict. */
export function useEdits<Row extends VersionedRecord, Values extends object>(
  record: Row,
  valuesOf: (record: Row) => Values,
  merge?: Merge<Values>,
) {
  // The response to a save is the latest version until the record is reloaded.
  const [answer, setAnswer] = useState<{ row: Row; base: Row }>()
  const latest = answer?.base === record ? answer.row : record
  const draft = useDraft(valuesOf(latest), merge, record.id)
  // The record may include this tab's edit before the response arrives, so don't report a conflict until then.
  const isEditing = useIsMutating({ predicate: ({ state }) => Object(state.variables).id === record.id }) > 0
  const [before, setBefore] = useState({ began: latest, since: none })
  const knownVersion = before.since.at(-1) ?? before.began
  const since = knownVersion.updatedAt === latest.updatedAt ? before.since : [...before.since, latest]
  // This tab's edits outside the form don't conflict; any other version since does, even if such an edit follows it.
  const isChanged = draft.changed && since.some((version) => !editsOutsideForms.has(keyOf(version)))
  const began = isChanged ? before.began : latest
  const open = isChanged ? since : none
  useEffect(() => setBefore({ began, since: open }), [began, open])
  const { Component, load } = useConflictModal()
  const [isOpen, setOpen] = useState(false)
  const [goneVersion, setGone] = useState<string>()
  return {
    draft,
    latest,
    valuesOf,
    /** The version shown when the first change was made, or a later one that this tab made outside the form. */
    began,
    isOutdated: isChanged && !isEditing,
    /** Handles the result of a save. Returns the saved record, or undefined if the user has to choose a version. */
    take: (outcome: EditOutcome<Row>): Row | undefined => {
      const row = 'saved' in outcome ? outcome.saved : outcome.current
      setAnswer({ row, base: record })
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
      if (statusOf(error) === 404) setGone(keyOf(began))
    },
    /** Whether a save found that the record no longer exists. A status page can be created again. */
    isGone: draft.changed && goneVersion === keyOf(began),
    Modal: Component,
  }
}
export type Edits<Row extends VersionedRecord, Values extends object> = ReturnType<typeof useEdits<Row, Values>>
