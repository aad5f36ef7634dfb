import { renameSync, writeFileSync } from 'node:fs'
import { appSecretFile } from '../../platform/config/app-secret.ts'
import { renameForGood } from '../../platform/durable.ts'

/** Makes this the secret in the data folder. One that somebody may still need is kept beside it. */
export function adoptSecret(dataDir: string, secret: string, { keepsOld }: { keepsOld: boolean }): void {
  const file = appSecretFile(dataDir)
  const draft = `${file}.restoring`
  writeFileSync(draft, `${secret}\n`, { mode: 0o600, flush: true })
  if (keepsOld) renameSync(file, `${file}.before-restore`)
  renameForGood(draft, file)
}
