import { execFileSync } from 'node:child_process'
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { leaveNothing } from './leave-nothing.ts'

export type SmallDisk = ReturnType<typeof smallDisk>

/** A disk of this size on a folder of its own. Throws where mounting is not allowed. */
export function smallDisk(megabytes: number) {
  const { add, clean } = leaveNothing()
  const folder = mkdtempSync(join(tmpdir(), 'toolbox-disk-'))
  add(() => rmSync(folder, { recursive: true, force: true }))
  const ballast = join(folder, 'ballast')
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'pipe' })
  } catch (error) {
    clean()
    throw error
  }
  add(() => execFileSync('umount', ['--lazy', folder]))
  chmodSync(folder, 0o755)
  return {
    folder,
    /** Leaves not a page free. */
    fill() {
      const file = openSync(ballast, 'a')
      try {
        for (;;) writeSync(file, Buffer.alloc(4_096, 1))
      } catch {
        // It is full.
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(ballast, { force: true }),
    unmount: clean,
  }
}
