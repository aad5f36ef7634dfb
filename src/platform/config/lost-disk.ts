import { existsSync, readFileSync, realpathSync } from 'node:fs'
import type { Config } from './config.ts'
import type { Env } from './env.ts'
import { hostingOf } from './hosting.ts'

type Place = Pick<Config, 'databaseUrl' | 'dataDir'>

/** Warns if the hosting service throws the data folder away, and says what to do; undefined if it is kept, as far as we know. */
export function lostDisk({ databaseUrl, dataDir }: Place, env: Env, mounts = mountsHere): string | undefined {
  const hosting = hostingOf(env)
  if (!hosting || databaseUrl) return undefined
  const { name, disk } = hosting
  if (disk && isOnDisk(existsSync(dataDir) ? realpathSync(dataDir) : dataDir, mounts())) return undefined
  const instead = disk ? `Attach ${disk} and set DATA_DIR to a folder on it, or set` : 'Set'
  return (
    `${name} doesn't keep this disk: all data in ${dataDir} will be lost at the next restart or deploy. ` +
    `${instead} DATABASE_URL to a PostgreSQL database and APP_SECRET to a secret of your own.`
  )
}

/** Whether a folder lies on a disk of its own, and not in the program's own files or in memory. */
function isOnDisk(folder: string, mounts: string): boolean {
  const around = mounts
    .split('\n')
    .map(readMount)
    .filter(({ at }) => at === '/' || folder === at || folder.startsWith(`${at}/`))
    .toSorted((one, other) => one.at.length - other.at.length)
  const nearest = around.at(-1)
  return nearest !== undefined && nearest.at !== '/' && !/^(?:tmpfs|ramfs|overlay)$/.test(nearest.kind)
}

/** A line of `/proc/self/mountinfo`, which writes spaces as \040. */
function readMount(line: string): { at: string; kind: string } {
  const [before = '', after = ''] = line.split(' - ')
  const at = before.split(' ')[4] ?? ''
  return {
    at: at.replace(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))),
    kind: after.split(' ', 1)[0] ?? '',
  }
}

/** What is mounted where; only Linux tells, and only it runs at hosting services. */
function mountsHere(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return ''
  }
}
