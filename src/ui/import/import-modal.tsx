import type { UseMutationResult } from '@tanstack/react-query'
import { useState } from 'react'
import { Modal } from '../components/modal/modal.tsx'
import { isKeptBack, reason } from '../data/api.ts'
import { complain, succeed } from '../toasts.ts'
import { ImportForm } from './import-form.tsx'
import { ImportPreview } from './import-preview.tsx'
import { type Report, refusalOf } from './report.ts'

/** `dry` only looks; `skip` leaves out what is refused. */
export type Asked = { file: Blob; dry: true } | { file: Blob; dry: false; skip: boolean }
type Read = { file: Blob; report: Report }

/** Takes a file, shows what would come of it, and then imports it. */
export function ImportModal(props: {
  open: boolean
  title: string
  /** Which files it takes. */
  description: string
  accept: string
  /** An example of the text of a file. */
  placeholder: string
  act: UseMutationResult<Report, Error, Asked>
  planInWords: (report: Report) => string
  doneInWords: (report: Report) => string
  onClose: () => void
}) {
  const { open, act } = props
  const [read, setRead] = useState<Read>()
  const [problem, setProblem] = useState<string>()
  const close = () => {
    setRead(undefined)
    setProblem(undefined)
    props.onClose()
  }
  const fail = (error: unknown) => {
    const refusal = refusalOf(error)
    if (refusal) return setProblem(refusal.error)
    if (!isKeptBack(error)) complain(reason(error))
  }
  const preview = (file: Blob) => {
    setProblem(undefined)
    act.mutate({ file, dry: true }, { onSuccess: (report) => setRead({ file, report }), onError: fail })
  }
  const carryOut = ({ file, report }: Read) =>
    act.mutate(
      { file, dry: false, skip: report.refused.length > 0 },
      {
        onSuccess: (done) => {
          succeed(props.doneInWords(done))
          close()
        },
        // What is there has changed since: the preview says what it is now.
        onError: (error) => {
          fail(error)
          if (!isKeptBack(error)) preview(file)
        },
      },
    )
  return (
    <Modal open={open} wide title={props.title} description={!read && props.description} onClose={close}>
      {open && !read && (
        <ImportForm
          busy={act.isPending}
          problem={problem}
          accept={props.accept}
          placeholder={props.placeholder}
          onFile={preview}
          onCancel={close}
        />
      )}
      {open && read && (
        <ImportPreview
          report={read.report}
          words={props.planInWords(read.report)}
          busy={act.isPending}
          onBack={() => setRead(undefined)}
          onImport={() => carryOut(read)}
        />
      )}
    </Modal>
  )
}
