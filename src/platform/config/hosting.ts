type Env = Readonly<Record<string, string | undefined>>

/** A service that runs programs; it is known by a variable that it sets. */
export type Hosting = {
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
export const hostingOf = (env: Env): Hosting | undefined => hostings.find(({ sign }) => env[sign])

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
