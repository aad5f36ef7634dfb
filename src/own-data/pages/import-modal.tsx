import { useState } from 'react'
import { Modal } from '../../ui/components/modal/modal.tsx'
import { isKeptBack, reason } from '../../ui/data/api.ts'
import { complain, succeed } from '../../ui/toasts.ts'
import type { ImportReport } from '../contract.ts'
import { refusalOf, useImport } from './calls.ts'
import { ImportForm } from './import-form.tsx'
import { ImportPreview } from './import-preview.tsx'
import { doneInWords } from './words.ts'

type Read = { file: Blob; report: ImportReport }

/** Takes a file, shows what would come of it, and then imports it. */
export function ImportModal({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [read, setRead] = useState<Read>()
  const [problem, setProblem] = useState<string>()
  const act = useImport()
  const close = () => {
    setRead(undefined)
    setProblem(undefined)
    onClose()
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
          succeed(doneInWords(done))
          close()
        },
        // What is there has changed since: the preview says what it is now.
        onError: (error) => {
          fail(error)
          preview(file)
        },
      },
    )
  return (
    <Modal
      open={open}
      wide
      title="Import entries"
      description={!read && 'A file that you downloaded here, a backup of Uptime Kuma, a CSV table or a list of URLs.'}
      onClose={close}
    >
      {open && !read && <ImportForm busy={act.isPending} problem={problem} onFile={preview} onCancel={close} />}
      {open && read && (
        <ImportPreview
          report={read.report}
          busy={act.isPending}
          onBack={() => setRead(undefined)}
          onImport={() => carryOut(read)}
        />
      )}
    </Modal>
  )
}
