import { Download, Upload } from 'lucide-react'
import own from '../../profile/pages/own.module.css'
import { can } from '../../shared/user.ts'
import { Button } from '../../ui/components/button.tsx'
import { Part } from '../../ui/components/page/page.tsx'
import { useSessionUser } from '../../ui/data/session.ts'
import { lazyDialog } from '../../ui/navigation/lazy.ts'
import { useDownload } from './calls.ts'
import css from './own-data.module.css'

const useImportModal = lazyDialog(async () => (await import('./dialogs.tsx')).ImportEntriesModal)
const useDeleteModal = lazyDialog(async () => (await import('./dialogs.tsx')).DeleteAccountModal)

/** The card by which users take their data with them, bring it back, and leave. */
export function YourData() {
  const mayImport = can(useSessionUser(), 'Tools', 1)
  return (
    <Part className={own.wide} aria-label="Your data">
      <h2>Your data</h2>
      <p className={css.note}>
        Download everything of your own as one JSON file
        {mayImport && ', or import entries from such a file, from Uptime Kuma, a CSV table or a list of URLs'}.
      </p>
      <div className={css.row}>
        <Downloads />
        {mayImport && <ImportButton />}
        <DeleteAccount />
      </div>
    </Part>
  )
}

function Downloads() {
  const download = useDownload()
  return (
    <>
      <Button disabled={download.isPending} onClick={() => download.mutate(false)}>
        <Download size={15} aria-hidden="true" />
        Download
      </Button>
      <Button disabled={download.isPending} onClick={() => download.mutate(true)}>
        Download with secrets
      </Button>
    </>
  )
}

function ImportButton() {
  const { Dialog, open, close, opener } = useImportModal()
  return (
    <>
      <Button {...opener}>
        <Upload size={15} aria-hidden="true" />
        Import
      </Button>
      {Dialog && <Dialog open={open} onClose={close} />}
    </>
  )
}

function DeleteAccount() {
  const { Dialog, open, close, opener } = useDeleteModal()
  return (
    <>
      <Button tone="danger" {...opener}>
        Delete account
      </Button>
      {Dialog && <Dialog open={open} onClose={close} />}
    </>
  )
}
