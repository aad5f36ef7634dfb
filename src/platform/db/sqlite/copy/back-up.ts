import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { BackupAnswer } from './backup-thread.ts'
import type { BackupOrder } from './make-backup.ts'

/** Makes a backup in a thread of its own, as `makeBackup` does. Throws an Error with a sentence. */
export async function backUp(order: BackupOrder): Promise<{ rows: number }> {
  const thread = new Worker(new URL('./backup-thread.ts', import.meta.url), {
    workerData: order,
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  })
  const [answer]: [BackupAnswer] = (await once(thread, 'message')) as [BackupAnswer]
  await thread.terminate()
  if ('failure' in answer) throw new Error(answer.failure)
  return answer
}
