import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { appSecretFile } from '../../platform/config/app-secret.ts'
import { renameForGood } from '../../platform/durable.ts'

/** Makes this the secret in the data folder, and keeps the one before beside it. */
export function adoptSecret(dataDir: string, secret: string): void {
  const file = appSecretFile(dataDir)
  const draft = `${file}.restoring`
  writeFileSync(draft, `${secret}\n`, { mode: 0o600, flush: true })
  if (existsSync(file)) renameSync(file, `${file}.before-restore`)
  renameForGood(draft, file)
}
