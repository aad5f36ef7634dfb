import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { freshPostgres } from '../../../test/support/database/fresh-postgres.ts'
import { fakeSmtp } from '../../../test/support/fakes/fake-smtp.ts'
import { startProcess } from '../../../test/support/process.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { Db } from '../../platform/db/open.ts'
import { openPostgres } from '../../platform/db/postgres/open.ts'
import { openSqlite } from '../../platform/db/sqlite/open.ts'
import { jobs } from '../../platform/queue/jobs.ts'
import { seconds } from '../../shared/time.ts'
import { createUser } from '../users/store.ts'
import { forgottenJob, mailJobs } from './jobs.ts'

const patience = { timeout: seconds(120), interval: 20 }

describe.each(dialects)('a server that is killed while it mails, on %s', (dialect) => {
  let smtp: Awaited<ReturnType<typeof fakeSmtp>>
  let env: Record<string, string>
  let open: () => Db
  let drop = async () => {}
  let server: Awaited<ReturnType<typeof startProcess>>
  beforeEach(async () => {
    smtp = await fakeSmtp()
    const folder = temporaryFolder()
    env = { DATA_DIR: folder, APP_SECRET: 'a secret of at least thirty-two characters', ...smtp.env }
    open = () => openSqlite(folder)
    if (dialect === 'postgres') {
      const database = await freshPostgres()
      env.DATABASE_URL = database.url
      open = () => openPostgres(database.url)
      drop = database.drop
    }
    await start()
    await server.end('SIGTERM')
  })
  afterEach(async () => {
    await server.end('SIGKILL')
    await smtp.close()
    await drop()
  })

  const start = async () => {
    server = await startProcess(env)
  }
  const look = async <T>(at: (db: Db) => Promise<T>): Promise<T> => {
    const db = open()
    try {
      return await at(db)
    } finally {
      await db.close()
    }
  }
  /** Users who have just forgotten their passwords. */
  const forgetful = async (count: number) => {
    const emails = Array.from({ length: count }, (_, n) => `person${n}@example.com`)
    await look(async (db) => {
      for (const [n, email] of emails.entries()) {
        const credentials = { username: `person${n}`, hash: 'of some password' }
        const person = { name: email, email, emailVerified: true, credentials, roles: { Admin: 0, Tools: 0 } } as const
        await createUser(db, db.q, person, Date.now())
      }
      await jobs(db, 'nobody', Date.now).add(emails.map((email) => forgottenJob(email, Date.now())))
    })
    return emails
  }
  /** Ends it at once, while the mail server keeps whether it took a mail to itself; what it had begun is free at once. */
  const killAfter = async (count: number) => {
    await expect.poll(() => smtp.mails.length, patience).toBeGreaterThan(count)
    await server.end('SIGKILL')
    await look((db) => jobs(db, 'nobody', Date.now).releaseAll(Date.now()))
  }
  const left = (kind = 'mail%') =>
    look(async (db) => (await db.q.selectFrom('job').select('id').where('kind', 'like', kind).execute()).length)
  const linkIn = (source: string) => /\/reset#([\w-]{43})/.exec(source.replaceAll('=\n', ''))?.[1] ?? ''
  const linkTo = (email: string) => linkIn(smtp.mails.find(({ to }) => to.includes(email))?.source ?? '')
  const reset = async (token: string) => {
    const answer = await fetch(`${server.url}/api/v1/auth/reset`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, password: 'ten very loud parrots' }),
    })
    return answer.status
  }

  test('sends each mail at least once, and only what was in flight again, with the same link', async () => {
    const emails = await forgetful(12)
    const kills = 2
    for (let n = 0; n < kills; n += 1) {
      const answered = smtp.mails.length + 2
      smtp.answersUpTo(answered)
      await start()
      await killAfter(answered)
    }
    smtp.answersUpTo(Number.POSITIVE_INFINITY)
    await start()
    await expect.poll(() => left(), patience).toBe(0)
    const sent = Map.groupBy(smtp.mails, ({ to }) => to.join())
    expect([...sent.keys()].toSorted()).toEqual(emails.toSorted())
    for (const [email, mails] of sent) expect(new Set(mails.map(({ source }) => linkIn(source))).size, email).toBe(1)
    // Two are sent at once.
    expect(smtp.mails.length).toBeGreaterThan(emails.length)
    expect(smtp.mails.length).toBeLessThanOrEqual(emails.length + 2 * kills)
    const link = linkTo(emails[0]!)
    expect([await reset(link), await reset(link)]).toEqual([200, 403])
  }, 300_000)

  test('sends no link again that was used or is over by then', async () => {
    const [used = '', over = ''] = await forgetful(2)
    smtp.answersUpTo(0)
    await start()
    // One that is looked for again would be mailed a new link, since the first was over before it left.
    await expect.poll(() => left(mailJobs.forgotten), patience).toBe(0)
    await killAfter(1)
    await look((db) => db.q.updateTable('mail').set({ expires_at: Date.now() }).where('email', '=', over).execute())
    smtp.says('451 Try again later')
    smtp.answersUpTo(Number.POSITIVE_INFINITY)
    await start()
    expect(await reset(linkTo(used))).toBe(200)
    // An attempt that began before the link was used is refused; none begins after that.
    await expect.poll(() => left(), patience).toBe(0)
    expect(smtp.mails).toHaveLength(2)
    expect([await reset(linkTo(used)), await reset(linkTo(over))]).toEqual([403, 403])
  }, 300_000)
})
