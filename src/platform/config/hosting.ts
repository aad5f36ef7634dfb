import { existsSync, readFileSync, realpathSync } from 'node:fs'

type Env = Readonly<Record<string, string | undefined>>

/** A service that runs programs; it is known by a variable that it sets. */
type Hosting = {
  name: string
  sign: string
  /** The public address, as the service tells it. */
  address?: (env: Env) => string | undefined
  /** What keeps data for the next start, in the service's own word; false where nothing does. */
  disk: string | false
}

const https = (host: string | undefined) => (host ? `https://${host}` : undefined)

const hostings: readonly Hosting[] = [
  { name: 'Heroku', sign: 'DYNO', address: (env) => https(env.HEROKU_APP_DEFAULT_DOMAIN_NAME), disk: false },
  { name: 'Render', sign: 'RENDER', address: (env) => env.RENDER_EXTERNAL_URL, disk: 'a disk' },
  { name: 'Fly.io', sign: 'FLY_APP_NAME', address: (env) => https(`${env.FLY_APP_NAME}.fly.dev`), disk: 'a volume' },
  {
    name: 'Railway',
    sign: 'RAILWAY_ENVIRONMENT_ID',
    address: (env) => https(env.RAILWAY_PUBLIC_DOMAIN),
    disk: 'a volume',
  },
  { name: 'Koyeb', sign: 'KOYEB_APP_NAME', address: (env) => https(env.KOYEB_PUBLIC_DOMAIN), disk: 'a volume' },
  { name: 'Google Cloud Run', sign: 'K_SERVICE', disk: false },
  {
    name: 'Azure App Service',
    sign: 'WEBSITE_INSTANCE_ID',
    address: (env) => https(env.WEBSITE_HOSTNAME),
    disk: 'storage',
  },
  { name: 'Amazon ECS', sign: 'ECS_CONTAINER_METADATA_URI_V4', disk: 'a volume' },
  { name: 'Kubernetes', sign: 'KUBERNETES_SERVICE_HOST', disk: 'a persistent volume' },
]

/** The service that runs this program, if it is one we know. */
const hostingOf = (env: Env): Hosting | undefined => hostings.find(({ sign }) => env[sign])

/** Variables that the operator need not set, because the service says them in its own. */
export function givenByHosting(env: Env): Env {
  const address = hostingOf(env)?.address?.(env)
  return address ? { BASE_URL: address } : {}
}

/** Says what is missing while a service runs ToolBox whose address nobody has told; undefined if nothing is. */
export function missingAddress({ isAddressed }: { isAddressed: boolean }, env: Env): string | undefined {
  const name = hostingOf(env)?.name
  return name && !isAddressed
    ? `Nobody can sign in yet: set BASE_URL to the address at which people open ToolBox on ${name}.`
    : undefined
}

/**
 * Heroku's PostgreSQL takes only encrypted connections and signs its certificates itself, but the address that Heroku gives
 * says neither. What the operator says in the address or by PGSSLMODE stays.
 */
export function databaseUrlOn(env: Env, given: string): string {
  if (hostingOf(env)?.name !== 'Heroku' || env.PGSSLMODE) return given
  const url = new URL(given)
  if (url.searchParams.has('sslmode') || url.searchParams.has('ssl')) return given
  url.searchParams.set('sslmode', 'no-verify')
  return url.href
}

type Place = { databaseUrl: string | undefined; dataDir: string }

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
