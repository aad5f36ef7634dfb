import { existsSync, readFileSync, realpathSync } from 'node:fs'

type Env = Readonly<Record<string, string | undefined>>

/** A hosting service, recognized by a variable that it sets (`sign`). */
type Hosting = {
  name: string
  sign: string
  /** The public address, from the service's variables. */
  address?: (env: Env) => string | undefined
  /** The service's word for storage that survives restarts; false if it has none. */
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

const hostingOf = (env: Env): Hosting | undefined => hostings.find(({ sign }) => env[sign])

/** Variables that the operator need not set, because they follow from those of the hosting service. */
export function hostingVariables(env: Env): Env {
  const address = hostingOf(env)?.address?.(env)
  return address ? { BASE_URL: address } : {}
}

/** Returns a warning if BASE_URL is unset and the hosting service doesn't provide the public address. */
export function missingAddressWarning({ isAddressed }: { isAddressed: boolean }, env: Env): string | undefined {
  const name = hostingOf(env)?.name
  return name && !isAddressed
    ? `Nobody can sign in yet: set BASE_URL to the address at which people open ToolBox on ${name}.`
    : undefined
}

/** On Heroku, adds `sslmode=no-verify` unless set: its PostgreSQL requires TLS with a self-signed certificate. */
export function withHostingSslMode(env: Env, databaseUrl: string): string {
  if (hostingOf(env)?.name !== 'Heroku' || env.PGSSLMODE) return databaseUrl
  const url = new URL(databaseUrl)
  if (url.searchParams.has('sslmode') || url.searchParams.has('ssl')) return databaseUrl
  url.searchParams.set('sslmode', 'no-verify')
  return url.href
}

type DataLocation = { databaseUrl: string | undefined; dataDir: string }

/** Returns a warning if, as far as we know, a restart or the next container loses the data folder. */
export function lostDiskWarning(
  { databaseUrl, dataDir }: DataLocation,
  env: Env,
  mounts = readMountTable,
): string | undefined {
  if (databaseUrl) return undefined
  const nearest = mountOf(existsSync(dataDir) ? realpathSync(dataDir) : dataDir, mounts())
  const hosting = hostingOf(env)
  if (nearest && isAnonymousVolume(nearest)) return lostVolumeWarning(dataDir, nearest)
  if (!hosting || (hosting.disk && isDisk(nearest))) return undefined
  const { name, disk } = hosting
  const instead = disk ? `Attach ${disk} and set DATA_DIR to a folder on it, or set` : 'Set'
  return (
    `${name} doesn't keep this disk: all data in ${dataDir} will be lost at the next restart or deploy. ` +
    `${instead} DATABASE_URL to a PostgreSQL database and APP_SECRET to a secret of your own.`
  )
}

const lostVolumeWarning = (dataDir: string, { at }: Mount) =>
  `The volume at ${at} has no name, so the next container won't get it: all data in ${dataDir} will be lost with this one. ` +
  `Give it a name (docker run -v toolbox:${at} …), or set DATABASE_URL to a PostgreSQL database and APP_SECRET to a secret of your own.`

/** The innermost mount that contains a folder. */
function mountOf(folder: string, mounts: string): Mount | undefined {
  return mounts
    .split('\n')
    .map(readMount)
    .filter(({ at }) => at === '/' || folder === at || folder.startsWith(`${at}/`))
    .toSorted((one, other) => one.at.length - other.at.length)
    .at(-1)
}

/** Whether the mount is a separate disk, and not the container's own files or memory. */
const isDisk = (mount: Mount | undefined): boolean =>
  mount !== undefined && mount.at !== '/' && !/^(?:tmpfs|ramfs|overlay)$/.test(mount.kind)

/** Whether this is an anonymous volume of a container engine, which has 64 random hex digits as its name. */
const isAnonymousVolume = ({ root }: Mount): boolean => /\/volumes\/[\da-f]{64}\/_data(?:\/|$)/.test(root)

/** A mount: the mounted folder within its file system, the mount point and the type of file system. */
type Mount = { root: string; at: string; kind: string }

/** Parses a line of `/proc/self/mountinfo`, which escapes spaces as \040. */
function readMount(line: string): Mount {
  const [before = '', after = ''] = line.split(' - ')
  const [, , , root = '', at = ''] = before.split(' ').map((field) => field.replace(/\\(\d{3})/g, decodeOctal))
  return { root, at, kind: after.split(' ', 1)[0] ?? '' }
}

const decodeOctal = (_: string, code: string) => String.fromCharCode(Number.parseInt(code, 8))

/** The mount table. It exists only on Linux, the only system in containers and at hosting services. */
function readMountTable(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return ''
  }
}
