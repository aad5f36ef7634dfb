// Records for the launcher which steps are done, and lets only one process at a time do them.
import { createHash } from 'node:crypto'
import { existsSync, linkSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export const builtSources = [
  'src',
  'index.html',
  'vite.config.ts',
  'vite.server.config.ts',
  'public',
  'package-lock.json',
]
const isBuilt = (path) => !/\.test\.tsx?$/.test(path)

/** A hash of the names and contents of files, without tests, independent of their root folder and times. */
export function sourcesHash(root, paths) {
  const hash = createHash('sha256')
  for (const path of paths.flatMap((name) => filesBelow(root, name)).filter(isBuilt)) {
    const content = readFileSync(join(root, path))
    hash.update(`${path}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

function filesBelow(root, path) {
  const full = join(root, path)
  if (!existsSync(full)) return []
  if (!statSync(full).isDirectory()) return [path]
  return readdirSync(full)
    .sort()
    .flatMap((name) => filesBelow(root, `${path}/${name}`))
}

export const isDone = (stamp, value) => existsSync(stamp) && readFileSync(stamp, 'utf8') === value
export const markDone = (stamp, value) => writeFileSync(stamp, value)

/** This process, told apart by its start from others that had the same id. */
const self = `${process.pid} ${startOf(process.pid) ?? ''}`

/** Does the work while this process holds the lock file. Says for which other owner it waits, unless that is dead. */
export async function withLock(file, work, say = () => {}) {
  const mine = `${file}.${process.pid}`
  writeFileSync(mine, self)
  try {
    for (let tries = 0; !take(mine, file); tries += 1) {
      if (tries === 1) say(`waiting for another start to finish (process ${ownerOf(file).pid})`)
      await pause(100)
    }
  } finally {
    rmSync(mine, { force: true })
  }
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}

function take(mine, file) {
  try {
    lockBy(mine, file)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (!isAlive(ownerOf(file))) rmSync(file, { force: true })
    return false
  }
}

/** Creates the file with its owner in it, atomically except on disks without hard links (exFAT). Throws EEXIST. */
function lockBy(mine, file) {
  try {
    linkSync(mine, file)
  } catch (error) {
    if (error.code === 'EEXIST') throw error
    writeFileSync(file, self, { flag: 'wx' })
  }
}

/** The owner's process id and start; this process's own while the file is being written or deleted. */
function ownerOf(file) {
  const [pid, start] = (textOf(file) || self).split(' ')
  return { pid: Number(pid), start }
}

function isAlive({ pid, start }) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (error.code !== 'EPERM') return false
  }
  // Locks of earlier releases name no start.
  return start === undefined ? pid !== process.pid : [undefined, start].includes(startOf(pid))
}

/** When the process started, in the kernel's ticks since the boot; undefined where there is no /proc. */
function startOf(pid) {
  return textOf(`/proc/${pid}/stat`).split(') ').at(-1).split(' ')[19]
}

function textOf(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
