import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { freshPostgres } from '../../../test/support/database/fresh-postgres.ts'
import { type FakeGithub, fakeGithub } from '../../../test/support/fakes/fake-github.ts'
import { admin, signedIn, startProcess } from '../../../test/support/process.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openPostgres } from '../../platform/db/postgres/open.ts'
import { jobs } from '../../platform/queue/jobs.ts'

type Entry = { id: string; history: { success: boolean; status: number }[] }

describe.each(dialects)('a process that ends in the middle of a run, on %s', (dialect) => {
  let github: FakeGithub
  let folder: string
  let databaseUrl: string | undefined
  let drop = async () => {}
  const running: { end: (signal: 'SIGKILL') => Promise<unknown> }[] = []

  beforeAll(async () => {
    github = await fakeGithub()
    folder = temporaryFolder()
    if (dialect === 'sqlite') return
    const database = await freshPostgres()
    databaseUrl = database.url
    drop = database.drop
  })
  afterAll(async () => {
    await Promise.all(running.map((one) => one.end('SIGKILL')))
    await github.close()
    await drop()
  })

  async function start() {
    const started = await startProcess({
      DATA_DIR: folder,
      APP_SECRET: 'a secret of at least thirty-two characters',
      ADMIN_EMAIL: admin.email,
      ADMIN_USERNAME: admin.username,
      ADMIN_PASSWORD: admin.password,
      ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
      ...github.env,
    })
    return { ...started, call: await signedIn(started.url) }
  }
  const create = async ({ call }: Awaited<ReturnType<typeof start>>, url: string) =>
    (await call<Entry>('POST', '/api/v1/ghmdinvalidator', { url })).body.id
  const historyOf = async ({ call }: Awaited<ReturnType<typeof start>>, id: string) =>
    (await call<Entry>('GET', `/api/v1/ghmdinvalidator?id=${id}`)).body.history

  test('killed, it is done again, and what was purged is not purged twice', async () => {
    const quick = Array.from({ length: 3 }, (_, index) => github.image(`https://img.example/quick${index}.svg`))
    const stuck = github.image('https://img.example/stuck.svg', 'hang', { body: '{"status":"ok","id":"1"}' })
    const first = await start()
    const id = await create(first, github.page('/owner/killed', [...quick, stuck]))
    await expect.poll(() => github.purges().length).toBe(4)
    // The quick ones are remembered as soon as they are answered.
    await new Promise((resolve) => setTimeout(resolve, 300))
    await first.end('SIGKILL')
    await leasesRunOut()

    const second = await start()
    running.push(second)
    await expect.poll(() => historyOf(second, id)).toMatchObject([{ success: true, status: 4 }])
    expect(github.purges().sort()).toEqual([...quick, stuck, stuck].sort())
    await running.pop()?.end('SIGKILL')
  })

  test('asked to stop, it finishes the run first', async () => {
    github.forget()
    const slow = github.image('https://img.example/slow.svg', { delay: 1_500, body: '{"status":"ok","id":"1"}' })
    const first = await start()
    const id = await create(first, github.page('/owner/stopped', [slow]))
    await expect.poll(() => github.purges().length).toBe(1)
    expect(await first.end('SIGTERM')).toBe(0)

    const second = await start()
    running.push(second)
    expect(await historyOf(second, id)).toMatchObject([{ success: true, status: 1 }])
    expect(github.purges()).toHaveLength(1)
  })

  /** Over PostgreSQL another instance takes over when the lease has run out, in a minute. */
  async function leasesRunOut() {
    if (databaseUrl === undefined) return
    const db = openPostgres(databaseUrl)
    await jobs(db, 'nobody', Date.now).releaseAll(Date.now())
    await db.close()
  }
})
