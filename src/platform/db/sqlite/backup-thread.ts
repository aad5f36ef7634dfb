import { parentPort, workerData } from 'node:worker_threads'
import { type BackupAnswer, type BackupOrder, makeBackup } from './make-backup.ts'

// Runs in its own thread: it reads the whole database, and nothing else should wait for that.

try {
  parentPort?.postMessage((await makeBackup(workerData as BackupOrder)) satisfies BackupAnswer)
} catch (error) {
  parentPort?.postMessage({ failure: error instanceof Error ? error.message : String(error) } satisfies BackupAnswer)
}
