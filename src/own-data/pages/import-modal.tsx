import { ImportModal } from '../../ui/import/import-modal.tsx'
import { useImport } from './calls.ts'
import { doneInWords, planInWords } from './words.ts'

/** Takes a file of entries, shows what would come of it, and then imports it. */
export const ImportEntriesModal = ({ open, onClose }: { open: boolean; onClose: () => void }) => (
  <ImportModal
    open={open}
    title="Import entries"
    description="A file that you downloaded here, a backup of Uptime Kuma, a CSV table or a list of URLs."
    accept=".json,.csv,.txt,application/json,text/csv,text/plain"
    placeholder={'https://app.example.com/health\nhttps://api.example.com/'}
    act={useImport()}
    planInWords={planInWords}
    doneInWords={doneInWords}
    onClose={onClose}
  />
)
