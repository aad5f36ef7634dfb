import { useSessionUser } from '../../data/session.ts'
import { FormNote } from '../actions/action-bar.tsx'
import { compare, type ValueTexts } from './compare.ts'
import type { Edits, VersionedRecord } from './edits.ts'

/** Warns above a form that the record was edited or deleted elsewhere; the user can choose between both versions. */
export function Conflict<Row extends VersionedRecord, Values extends object>(props: {
  edits: Edits<Row, Values>
  noun: string
  title?: string
  isDeleted?: boolean
  /** Whether a record that isn't found may still exist for other users. */
  mayBeHidden?: boolean
  formatValues: (values: Values) => ValueTexts
  busy: boolean
  onLoad: () => void
  /** Overwrites the version with this `updatedAt`. */
  onSave: (updatedAt: number) => void
}) {
  const { edits, noun, formatValues, busy, onLoad, onSave } = props
  const { Modal, valuesOf, latest: record } = edits
  const user = useSessionUser()
  const isOwn = record.changedById !== null && record.changedById === user?.id
  const name = record.changedBy ?? 'Someone'
  return (
    <div role="status">
      {edits.isGone || (edits.draft.changed && props.isDeleted) ? (
        <FormNote below>
          <p>
            This {noun} was deleted{props.mayBeHidden && ' or is no longer yours'}, so your changes can't be saved.
          </p>
        </FormNote>
      ) : (
        edits.isOutdated && (
          <FormNote below>
            <p>
              {isOwn
                ? `You changed this ${noun} in another tab. The changes on this page aren't saved yet.`
                : `${name} changed this ${noun}. Your changes aren't saved yet.`}
            </p>
          </FormNote>
        )
      )}
      {Modal && (
        <Modal
          open={edits.isOpen}
          name={isOwn ? 'you in another tab' : name}
          at={record.changedAt}
          isOwn={isOwn}
          record={props.title}
          comparison={compare(
            formatValues(valuesOf(edits.began)),
            formatValues(valuesOf(record)),
            formatValues(edits.draft.values),
          )}
          busy={busy}
          onClose={edits.close}
          onLoad={() => {
            edits.close()
            onLoad()
          }}
          onSave={() => onSave(record.updatedAt)}
        />
      )}
    </div>
  )
}
