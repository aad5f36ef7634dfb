import { parentPort, workerData } from 'node:worker_threads'
import { type BackupAnswer, type BackupOrder, makeBackup } from './make-backup.ts'

// What runs in a thread of its own: it reads the whole database, and nobody else waits for that.

try {
  parentPort?.postMessage(makeBackup(workerData as BackupOrder) satisfies BackupAnswer)
} catch (error) {
  parentPort?.postMessage({ failure: error instanceof Error ? error.message : String(error) } satisfies BackupAnswer)
}
