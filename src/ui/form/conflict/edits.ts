import { useState } from 'react'
import { api, currentOf, statusOf } from '../../data/api.ts'
import { later } from '../../navigation/idle.ts'
import type { Draft } from '../draft.ts'

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

/** Which version of a record a form began with, and the dialog for when that is not the last one any more. */
export function useEdits<Row extends Edited, Values extends object>({ changed }: Draft<Values>, record: Row) {
  const { id, updatedAt } = record
  const [began, setBegan] = useState(record)
  const isLatest = began.updatedAt === updatedAt
  if (!isLatest && (!changed || besideForms.get(id) === updatedAt)) setBegan(record)
  const { Component, ask } = useConflictModal()
  const [isOpen, setOpen] = useState(false)
  const [isGone, setGone] = useState(false)
  return {
    /** What the form was filled from when the first change was typed. */
    began,
    isOutdated: changed && !isLatest,
    /** Lets somebody choose between both versions. */
    choose: () => void ask().then(setOpen),
    close: () => setOpen(false),
    isOpen,
    /** Takes note of a save that failed: the record may be deleted. */
    fail: (error: unknown) => {
      setOpen(false)
      if (statusOf(error) === 404) setGone(true)
    },
    /** Whether a save did not find the record any more. */
    isGone: changed && isGone,
    Modal: Component,
  }
}
export type Edits<Row extends Edited> = ReturnType<typeof useEdits<Row, object>>
