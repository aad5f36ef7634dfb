import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { restore } from '../../../src/cli/restore.ts'

/*
 * A restore in this folder that is killed before it gives a file a name for the nth time: `node killed-restore.ts N NAME`.
 * KILL_BEFORE names other calls to count.
 */
const [times, ...args] = process.argv.slice(2)
let left = Number(times)
const counted = (process.env.KILL_BEFORE ?? 'renameSync,linkSync').split(',')
for (const name of counted) {
  const call = Reflect.get(fs, name)
  Reflect.set(fs, name, (...given: unknown[]) => {
    left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
    return call(...given)
  })
}
syncBuiltinESMExports()
await restore(args, { env: process.env, folder: process.cwd(), say: () => {} })
