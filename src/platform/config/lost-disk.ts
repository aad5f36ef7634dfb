import { existsSync, readFileSync, realpathSync } from 'node:fs'
import type { Config } from './config.ts'
import type { Env } from './env.ts'
import { hostingOf } from './hosting.ts'

type Place = Pick<Config, 'databaseUrl' | 'dataDir'>

/** Warns if the hosting service or the next container throws the data folder away, and says what to do; undefined if it is kept, as far as we know. */
export function lostDisk({ databaseUrl, dataDir }: Place, env: Env, mounts = mountsHere): string | undefined {
  if (databaseUrl) return undefined
  const nearest = mountOf(existsSync(dataDir) ? realpathSync(dataDir) : dataDir, mounts())
  const hosting = hostingOf(env)
  if (nearest && isNameless(nearest)) return lostVolume(dataDir, nearest)
  if (!hosting || (hosting.disk && isDisk(nearest))) return undefined
  const { name, disk } = hosting
  const instead = disk ? `Attach ${disk} and set DATA_DIR to a folder on it, or set` : 'Set'
  return (
    `${name} doesn't keep this disk: all data in ${dataDir} will be lost at the next restart or deploy. ` +
    `${instead} DATABASE_URL to a PostgreSQL database and APP_SECRET to a secret of your own.`
  )
}

const lostVolume = (dataDir: string, { at }: Mount) =>
  `The volume at ${at} has no name, so the next container won't get it: all data in ${dataDir} will be lost with this one. ` +
  `Give it a name (docker run -v toolbox:${at} …), or set DATABASE_URL to a PostgreSQL database and APP_SECRET to a secret of your own.`

/** What is mounted nearest above a folder. */
function mountOf(folder: string, mounts: string): Mount | undefined {
  return mounts
    .split('\n')
    .map(readMount)
    .filter(({ at }) => at === '/' || folder === at || folder.startsWith(`${at}/`))
    .toSorted((one, other) => one.at.length - other.at.length)
    .at(-1)
}

/** Whether it is a disk of its own, and not the program's own files or memory. */
const isDisk = (mount: Mount | undefined): boolean =>
  mount !== undefined && mount.at !== '/' && !/^(?:tmpfs|ramfs|overlay)$/.test(mount.kind)

/** Whether an engine made this volume for one container: then it is called by 64 random digits. */
const isNameless = ({ root }: Mount): boolean => /\/volumes\/[\da-f]{64}\/_data(?:\/|$)/.test(root)

/** What of its file system is mounted, where, and which kind that is. */
type Mount = { root: string; at: string; kind: string }

/** A line of `/proc/self/mountinfo`, which writes spaces as \040. */
function readMount(line: string): Mount {
  const [before = '', after = ''] = line.split(' - ')
  const [, , , root = '', at = ''] = before.split(' ').map((field) => field.replace(/\\(\d{3})/g, decoded))
  return { root, at, kind: after.split(' ', 1)[0] ?? '' }
}

const decoded = (_: string, code: string) => String.fromCharCode(Number.parseInt(code, 8))

/** What is mounted where; only Linux tells, and only it runs in containers and at hosting services. */
function mountsHere(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return ''
  }
}
