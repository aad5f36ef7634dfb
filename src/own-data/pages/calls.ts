import { useMutation } from '@tanstack/react-query'
import { askForProof, CallError } from '../../ui/data/api.ts'
import { call, read } from '../../ui/data/call.ts'
import { queryClient } from '../../ui/data/query.ts'
import { forgetSession, sessionQuery, signingOut } from '../../ui/data/session.ts'
import { saveFile } from '../../ui/save-file.ts'

const exportPath = '/api/v1/user/export'

export const summaryQuery = read('GET /api/v1/user/summary')

/** Saves the file of one's own data, after a proof where one is needed; nothing if the user gives none. */
async function download(withSecrets: boolean): Promise<void> {
  const answer = await fetch(withSecrets ? `${exportPath}?secrets=true` : exportPath).catch(() => {
    throw new CallError('Network Error')
  })
  if (answer.ok) return saveFile([await answer.blob()], { name: nameOfFile(withSecrets), type: 'application/json' })
  const data: unknown = await answer.json().catch(() => undefined)
  if (answer.status === 403 && Object(data).reauthenticate === true) {
    if (await askForProof()) await download(withSecrets)
    return
  }
  throw new CallError(`Request failed with status code ${answer.status}`, { status: answer.status, data })
}

const nameOfFile = (withSecrets: boolean) => {
  const day = new Date().toISOString().slice(0, 10)
  return withSecrets ? `toolbox-${day}-with-secrets.json` : `toolbox-${day}.json`
}

export const useDownload = () => useMutation({ mutationFn: download })

/** Deletes the account. The session ends with it, as if its user had signed out. */
export const useDeleteAccount = (then: () => void) =>
  useMutation({
    mutationKey: signingOut,
    mutationFn: async () => {
      await call('DELETE /api/v1/user', {})
      queryClient.setQueryData(sessionQuery.queryKey, null)
      then()
      // A screen that is still shown would load again what is dropped, so it has to disappear first.
      setTimeout(() => void forgetSession())
    },
  })
