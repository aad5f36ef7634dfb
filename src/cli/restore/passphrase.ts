import { openFile, WrongPassphrase } from '../../backups/sealed/open.ts'
import type { AppConfig } from '../../config.ts'
import type { Questions } from '../ask.ts'

const mostTries = 3

/** Opens a sealed backup into a new file: with BACKUP_PASSPHRASE, or the passphrase that is typed or piped in. Throws WrongPassphrase. */
export async function openSealed(
  file: string,
  to: string,
  { backupPassphrase }: AppConfig,
  questions: Pick<Questions, 'ask' | 'isTerminal'>,
) {
  let wrong: WrongPassphrase | undefined
  for await (const passphrase of passphrases(backupPassphrase, questions))
    try {
      return await openFile(file, passphrase, to)
    } catch (error) {
      // It is found out before anything is written.
      if (!(error instanceof WrongPassphrase)) throw error
      wrong = error
    }
  throw wrong ?? new Error('This backup is encrypted. Set BACKUP_PASSPHRASE to its passphrase, or pipe it in.')
}

async function* passphrases(
  configured: string | undefined,
  { ask, isTerminal }: Pick<Questions, 'ask' | 'isTerminal'>,
): AsyncGenerator<string> {
  if (configured !== undefined) yield configured
  for (let count = 0; count < (isTerminal ? mostTries : 1); count += 1) {
    const typed = await ask('Passphrase: ', true)
    if (!typed) return
    yield typed
  }
}
