import { chmodSync, closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { mountDisk } from '../support/mount-disk.ts'
import { collectCleanUps } from './clean-ups.ts'

export type SmallDisk = ReturnType<typeof smallDisk>

/** Mounts a disk of this size on a new folder. Throws if mounting is not allowed. */
export function smallDisk(megabytes: number) {
  const { add, clean } = collectCleanUps()
  const disk = mountDisk(megabytes * 1_024)
  if (!disk) throw new Error('This user may not mount a disk.')
  add(disk.remove)
  const { folder } = disk
  const ballast = join(folder, 'ballast')
  chmodSync(folder, 0o755)
  return {
    folder,
    fill() {
      const file = openSync(ballast, 'a')
      try {
        for (;;) writeSync(file, Buffer.alloc(4_096, 1))
      } catch {
        // The disk is full.
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(ballast, { force: true }),
    unmount: clean,
  }
}
