import { useMutation } from '@tanstack/react-query'
import { Download, Upload } from 'lucide-react'
import { Account } from '../../profile/pages/account.tsx'
import { can } from '../../shared/user.ts'
import { Button, Buttons } from '../../ui/components/button.tsx'
import { dialogButton } from '../../ui/components/modal/dialog-button.tsx'
import { Section } from '../../ui/components/section.tsx'
import { askForProof, CallError } from '../../ui/data/api.ts'
import { useScreenUser } from '../../ui/data/session.ts'
import { saveFile } from '../../ui/save-file.ts'
import type { Named } from './dialogs.tsx'

const kept = { isKept: true }
const ImportButton = dialogButton(async () => (await import('./dialogs.tsx')).ImportEntriesModal, kept)
const DeleteButton = dialogButton(async () => (await import('./dialogs.tsx')).DeleteAccountModal, kept)

export function YourDataPage({ tools }: { tools: readonly Named[] }) {
  const mayImport = can(useScreenUser(), 'Tools', 1)
  return (
    <Account title="Import and export">
      {mayImport && (
        <Section title="Import" note="Entries from a ToolBox export, Uptime Kuma, a CSV table or a list of URLs.">
          <ImportButton dialog={{ tools }}>
            <Upload size={15} aria-hidden="true" />
            Import
          </ImportButton>
        </Section>
      )}
      <Section title="Export" note="All your data as one JSON file.">
        <Buttons>
          <Downloads />
        </Buttons>
      </Section>
      <Section title="Delete account" note="Delete your account and all your data.">
        <DeleteButton tone="danger">Delete account</DeleteButton>
      </Section>
    </Account>
  )
}

const exportPath = '/api/v1/user/export'

/** Prompts for re-authentication if required, and does nothing if the user cancels. */
async function saveOwnData(withSecrets: boolean): Promise<void> {
  const answer = await fetch(withSecrets ? `${exportPath}?secrets=true` : exportPath).catch(() => {
    throw new CallError('Network Error')
  })
  if (answer.ok) return saveFile([await answer.blob()], { name: nameOfFile(withSecrets), type: 'application/json' })
  const data: unknown = await answer.json().catch(() => undefined)
  if (answer.status === 403 && Object(data).reauthenticate === true) {
    if (await askForProof()) await saveOwnData(withSecrets)
    return
  }
  throw new CallError(`Request failed with status code ${answer.status}`, { status: answer.status, data })
}

const nameOfFile = (withSecrets: boolean) => {
  const day = new Date().toISOString().slice(0, 10)
  return withSecrets ? `toolbox-${day}-with-secrets.json` : `toolbox-${day}.json`
}

function Downloads() {
  const download = useMutation({ mutationFn: saveOwnData })
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
