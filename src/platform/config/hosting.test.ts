import { connect as connectPlainly, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { leafKey, selfSignedCertificate } from '../../../test/support/fakes/certificates.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { variables } from '../../config.ts'
import { openPostgres } from '../db/postgres/open.ts'
import { readConfig } from './config.ts'
import type { Env } from './env.ts'
import { lostDiskWarning, missingAddressWarning } from './hosting.ts'

const secret = 'a secret of more than thirty-two characters'
const configOf = (env: Env) => readConfig(variables, { APP_SECRET: secret, ...env }, temporaryFolder())
const database = 'postgres://u:p%40ss@ec2.example.com:5432/d1'

test('the public address is taken from the hosting service unless the operator sets one', () => {
  const addresses = [
    { RENDER: 'true', RENDER_EXTERNAL_URL: 'https://tools.onrender.com' },
    { FLY_APP_NAME: 'tools' },
    { DYNO: 'web.1', HEROKU_APP_DEFAULT_DOMAIN_NAME: 'tools-1a2b3c.herokuapp.com' },
    { RAILWAY_ENVIRONMENT_ID: 'e', RAILWAY_PUBLIC_DOMAIN: 'tools.up.railway.app' },
    { FLY_APP_NAME: 'tools', BASE_URL: 'https://tools.example.com' },
    { DYNO: 'web.1', PORT: '41000' },
  ].map((env) => configOf(env).baseUrl)
  expect(addresses).toEqual([
    'https://tools.onrender.com',
    'https://tools.fly.dev',
    'https://tools-1a2b3c.herokuapp.com',
    'https://tools.up.railway.app',
    'https://tools.example.com',
    'http://localhost:41000',
  ])
})

test('warns that BASE_URL is missing if the hosting service provides no address', () => {
  const warnings = [{ K_SERVICE: 'tools' }, { FLY_APP_NAME: 'tools' }, {}].map((env) =>
    missingAddressWarning(configOf(env), env),
  )
  expect(warnings).toEqual([
    'Nobody can sign in yet: set BASE_URL to the address at which people open ToolBox on Google Cloud Run.',
    undefined,
    undefined,
  ])
})

test('the database certificate is not verified on Heroku, unless the operator sets an SSL mode', () => {
  const urls = [
    { DATABASE_URL: database },
    { DATABASE_URL: database, DYNO: 'web.1' },
    { DATABASE_URL: `${database}?sslmode=disable`, DYNO: 'web.1' },
    { DATABASE_URL: database, DYNO: 'web.1', PGSSLMODE: 'verify-full' },
  ].map((env) => configOf(env).databaseUrl)
  expect(urls).toEqual([database, `${database}?sslmode=no-verify`, `${database}?sslmode=disable`, database])
})

test('on Heroku, DATABASE_URL works with a PostgreSQL that requires TLS and has a self-signed certificate', async () => {
  const plain = new URL(inject('pg'))
  const front = await onlyEncrypted(Number(plain.port))
  const encryptedUrl = new URL(plain)
  encryptedUrl.port = String(front.port)
  const db = openPostgres(configOf({ DATABASE_URL: encryptedUrl.href, DYNO: 'web.1' }).databaseUrl!)
  onTestFinished(() => db.close())
  expect((await sql`select 1 as one`.execute(db.q)).rows).toEqual([{ one: 1 }])
  const listening = db.newClient!(5_000)
  await listening.connect()
  await listening.end()
  const unchanged = new pg.Client({ connectionString: encryptedUrl.href })
  await expect(unchanged.connect()).rejects.toThrow()
})

/** A proxy to PostgreSQL that accepts only TLS connections and presents a self-signed certificate. */
async function onlyEncrypted(upstream: number) {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {})
    socket.once('data', (hello) => {
      if (hello.readInt32BE(4) !== 80_877_103) return socket.destroy()
      socket.write('S')
      const secure = new TLSSocket(socket, { isServer: true, key: leafKey, cert: selfSignedCertificate })
      const behind = connectPlainly(upstream, '127.0.0.1')
      open.add(behind)
      secure.on('error', () => behind.destroy())
      behind.on('error', () => secure.destroy())
      secure.pipe(behind).pipe(secure)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const address = server.address()
  return { port: address && typeof address === 'object' ? address.port : 0 }
}

const root = '1 0 0:1 / / rw - overlay overlay rw'
const disk = '2 1 8:1 / /data rw,relatime - ext4 /dev/vdb rw'
const memory = '2 1 0:9 / /data rw - tmpfs tmpfs rw'
const warning = (env: Env, mounts: string[], place: { databaseUrl?: string } = {}) =>
  lostDiskWarning({ databaseUrl: undefined, dataDir: '/data/tool box', ...place }, env, () => mounts.join('\n'))

test('warns about data on a disk that the hosting service discards, and names the variables to set', () => {
  expect(warning({ DYNO: 'web.1' }, [root, disk])).toBe(
    "Heroku doesn't keep this disk: all data in /data/tool box will be lost at the next restart or deploy. " +
      'Set DATABASE_URL to a PostgreSQL database and APP_SECRET to a secret of your own.',
  )
  const withoutDisk = [
    warning({ RENDER: 'true' }, [root]),
    warning({ FLY_APP_NAME: 'tools' }, [root, memory]),
    warning({ K_SERVICE: 'tools' }, [root, disk]),
    warning({ KUBERNETES_SERVICE_HOST: '10.0.0.1' }, [root, disk.replace('/data', '/dat')]),
  ]
  expect(withoutDisk).toEqual([
    expect.stringMatching(/^Render .* Attach a disk and set DATA_DIR to a folder on it, or set DATABASE_URL /),
    expect.stringMatching(/^Fly\.io .* Attach a volume /),
    expect.stringMatching(/^Google Cloud Run .* Set DATABASE_URL /),
    expect.stringMatching(/^Kubernetes .* Attach a persistent volume /),
  ])
})

test('does not warn about a separate disk, PostgreSQL or a machine without a hosting service', () => {
  const quiet = [
    warning({ RENDER: 'true' }, [disk, root]),
    warning({ RENDER: 'true' }, [root, disk.replace('/data', '/data/tool\\040box')]),
    warning({ DYNO: 'web.1' }, [root], { databaseUrl: database }),
    warning({}, [root]),
  ]
  expect(quiet).toEqual([undefined, undefined, undefined, undefined])
})

test('warns about an anonymous container volume, but not about a named one', () => {
  const nameless = 'c0ffee0123456789'.repeat(4)
  const volume = (root: string) => `2 1 8:1 ${root} /data rw,relatime - ext4 /dev/sda1 rw`
  const ofDocker = volume(`/var/lib/docker/volumes/${nameless}/_data`)
  expect(warning({}, [root, ofDocker])).toBe(
    "The volume at /data has no name, so the next container won't get it: all data in /data/tool box will be lost with this one. " +
      'Give it a name (docker run -v toolbox:/data …), or set DATABASE_URL to a PostgreSQL database and APP_SECRET to a secret of your own.',
  )
  const others = [
    // Podman's, on a disk of its own.
    warning({}, [root, volume(`/storage/volumes/${nameless}/_data`)]),
    warning({ KUBERNETES_SERVICE_HOST: '10.0.0.1' }, [root, ofDocker]),
    warning({}, [root, volume('/var/lib/docker/volumes/toolbox_data/_data')]),
    warning({}, [root, volume('/srv/toolbox')]),
    warning({}, [root, ofDocker], { databaseUrl: database }),
  ]
  expect(others.map((words) => words?.slice(0, 30))).toEqual([
    'The volume at /data has no nam',
    'The volume at /data has no nam',
    undefined,
    undefined,
    undefined,
  ])
})
