import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bothDialects } from '../../test/support/database/databases.ts'
import { type ServerDatabase, serverDatabase } from '../../test/support/database/server-database.ts'
import { fakeSmtp } from '../../test/support/fakes/fake-smtp.ts'
import { type Process, startProcess } from '../../test/support/process.ts'
import { createUser } from '../people/store.ts'
import { jobs } from '../platform/jobs/jobs.ts'
import { seconds } from '../shared/time.ts'
import { deliveries, forgottenJob } from './jobs.ts'

const patience = { timeout: seconds(120), interval: 50 }

describe.each(bothDialects)('a server that is killed while it mails, on %s', (dialect) => {
  let smtp: Awaited<ReturnType<typeof fakeSmtp>>
  let database: ServerDatabase
  let server: Process
  beforeAll(async () => {
    smtp = await fakeSmtp()
    database = await serverDatabase(dialect)
  })
  afterAll(async () => {
    await server.end('SIGKILL')
    await smtp.close()
    await database.drop()
  })

  const start = async () => {
    server = await startProcess({ ...database.env, ...smtp.env })
  }
  /** Creates users who have just requested a password reset. */
  const forgetful = async (...names: string[]) => {
    const { db } = database
    const emails = names.map((name) => `${name}@example.com`)
    for (const [n, email] of emails.entries()) {
      const credentials = { username: names[n]!, hash: 'of some password' }
      const person = { name: email, email, emailVerified: true, credentials, roles: { Admin: 0, Tools: 0 } } as const
      await createUser(db, db.q, person, Date.now())
    }
    await jobs(db, 'nobody', Date.now).add(emails.map((email) => forgottenJob(email, Date.now())))
    return emails
  }
  /** Kills the server while the mail server withholds its answers, and frees the killed server's leases immediately. */
  const killAfter = async (count: number) => {
    await expect.poll(() => smtp.mails.length, patience).toBeGreaterThan(count)
    await server.end('SIGKILL')
    await database.freeLeases()
  }
  const countJobs = async (kind = 'mail%') =>
    (await database.db.q.selectFrom('job').select('id').where('kind', 'like', kind).execute()).length
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

  test('does not resend a link that was used or has expired by then', async () => {
    const [used = '', expired = ''] = await forgetful('used', 'over')
    smtp.confirmUpTo(0)
    await start()
    // Wait for these jobs: one that ran again would mail a new link, since the first expires below before it is sent.
    await expect.poll(() => countJobs(deliveries.forgotten), patience).toBe(0)
    await killAfter(1)
    await database.db.q.updateTable('mail').set({ expires_at: Date.now() }).where('email', '=', expired).execute()
    smtp.setRecipientReply('451 Try again later')
    smtp.confirmUpTo(Number.POSITIVE_INFINITY)
    await start()
    expect(await reset(linkTo(used))).toBe(200)
    // An attempt that began before the link was used is refused, and no attempt begins after that.
    await expect.poll(() => countJobs(), patience).toBe(0)
    expect(smtp.mails).toHaveLength(2)
    expect([await reset(linkTo(used)), await reset(linkTo(expired))]).toEqual([403, 403])
  }, 300_000)

  test('sends each mail at least once, and resends only mails that were in flight, with the same link', async () => {
    smtp.setRecipientReply('250 OK')
    smtp.mails.length = 0
    smtp.confirmUpTo(2)
    // The server of the previous test is killed while it sends these mails.
    const emails = await forgetful(...Array.from({ length: 8 }, (_, n) => `person${n}`))
    await killAfter(2)
    smtp.confirmUpTo(Number.POSITIVE_INFINITY)
    await start()
    await expect.poll(() => countJobs(), patience).toBe(0)
    const sent = Map.groupBy(smtp.mails, ({ to }) => to.join())
    expect([...sent.keys()].toSorted()).toEqual(emails.toSorted())
    for (const [email, mails] of sent) expect(new Set(mails.map(({ source }) => linkIn(source))).size, email).toBe(1)
    // Two mails are sent at a time.
    expect(smtp.mails.length).toBeGreaterThan(emails.length)
    expect(smtp.mails.length).toBeLessThanOrEqual(emails.length + 2)
    const link = linkTo(emails[0]!)
    expect([await reset(link), await reset(link)]).toEqual([200, 403])
  }, 300_000)
})
