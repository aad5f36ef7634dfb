import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { restore } from '../../../src/cli/restore.ts'

// Kills a restore before its Nth rename or link, or call in KILL_BEFORE: `node killed-restore.ts N NAME`.
const [times, ...args] = process.argv.slice(2)
let remaining = Number(times)
const counted = (process.env.KILL_BEFORE ?? 'renameSync,linkSync').split(',')
for (const name of counted) {
  const call = Reflect.get(fs, name)
  Reflect.set(fs, name, (...callArgs: unknown[]) => {
    remaining -= 1
    if (remaining === 0) process.kill(process.pid, 'SIGKILL')
    return call(...callArgs)
  })
}
syncBuiltinESMExports()
await restore(args, { env: process.env, folder: process.cwd(), say: () => {} })
