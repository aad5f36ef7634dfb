import { describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { browser, createPerson } from '../../test/support/people.ts'
import { mailScene } from '../../test/support/scenes/mail-scene.ts'
import { cleanUpAccounts } from '../app.ts'
import { days, minutes, seconds } from '../shared/time.ts'
import { mailJob } from './jobs.ts'
import { emailChangedMail, passwordMail } from './mail.ts'

let people = 0

describe.each(dialects)('mails about accounts on %s', async (dialect) => {
  const { box, smtp, wait, sent, text, token } = await mailScene(dialect)
  /** Creates a user who has just requested a link. */
  const forgetful = async () => {
    people += 1
    const person = await createPerson(box.context, { name: `m${dialect}${people}`, username: `m${dialect}${people}` })
    await browser(box.app, `198.18.${people}.1`).post('/api/v1/auth/forgotten', { email: person.email })
    return person
  }
  const reset = () => browser(box.app).post('/api/v1/auth/reset', { token: token(), password: 'ten loud parrots' })
  const mails = () => box.db.q.selectFrom('mail').selectAll().execute()

  test('retries an unavailable mail server, and states the remaining life of the link in the mail', async () => {
    await forgetful()
    smtp.setRecipientReply('451 Try again later')
    await wait()
    expect((await mails())[0]).toMatchObject({ sent_at: null, note: expect.stringContaining('451') })
    for (const span of [seconds(5), seconds(30), minutes(1), minutes(2), minutes(4)]) await wait(span)
    smtp.setRecipientReply('250 OK')
    await wait(minutes(5))
    expect(sent()).toHaveLength(1)
    expect(text()).toContain('within 17 minutes')
    expect((await mails())[0]).toMatchObject({ sent_at: box.now(), note: null })
    await wait(minutes(5))
    expect(sent()).toHaveLength(1)
    expect((await reset()).status).toBe(200)
  })

  test('does not mail a link that has nearly expired, and allows a new request', async () => {
    const { email } = await forgetful()
    smtp.setRecipientReply('451 Try again later')
    for (let n = 0; n < 6; n += 1) await wait(minutes(5))
    smtp.setRecipientReply('250 OK')
    await wait(minutes(5))
    expect(sent()).toEqual([])
    expect(await box.db.q.selectFrom('job').select('id').execute()).toEqual([])
    await browser(box.app, '198.19.1.1').post('/api/v1/auth/forgotten', { email })
    await wait()
    expect(sent()).toHaveLength(1)
  })

  test('resends a mail after a delay if the answer of the mail server was lost', async () => {
    await forgetful()
    smtp.breaksOff(true)
    await wait()
    smtp.breaksOff(false)
    expect(await mails()).toMatchObject([{ sent_at: null, note: expect.stringContaining('perhaps sent') }])
    await wait(minutes(15) - 1)
    expect(sent()).toHaveLength(1)
    await wait(1)
    expect(sent()).toHaveLength(2)
    expect(text()).toContain('within 15 minutes')
    await wait(minutes(15))
    expect(sent()).toHaveLength(2)
  })

  test('another instance sends the mail of a killed instance once', async () => {
    await forgetful()
    const other = box.secondWorker()
    const lease = seconds(40)
    // The job is claimed, but never run.
    expect(await box.context.jobs.claim(box.now(), lease, 10)).toHaveLength(1)
    await other.runDue()
    expect(sent()).toEqual([])
    box.pass(lease)
    await other.runDue()
    await box.work.runDue()
    expect(sent()).toHaveLength(1)
  })

  test('does not resend an accepted mail if its job was not completed', async () => {
    await forgetful()
    const jobs = () => box.db.q.selectFrom('job').selectAll().execute()
    await box.work.runDue()
    const [first] = await mails()
    expect([sent().length, await jobs()]).toEqual([1, []])
    await box.context.jobs.add(mailJob(first?.id ?? '', box.now()))
    await wait()
    expect([sent().length, await jobs()]).toEqual([1, []])
  })

  test('resends a mail with a lost outcome with the same id and link', async () => {
    await forgetful()
    await wait()
    const [{ id } = { id: '' }] = await mails()
    await box.db.q.updateTable('mail').set({ sent_at: null }).execute()
    await box.context.jobs.add(mailJob(id, box.now()))
    await wait()
    const [one, other] = smtp.mails.map(({ source }) => source)
    const idOf = (source = '') => /^Message-ID: (.*)$/im.exec(source)?.[1]
    expect([idOf(one), one?.slice(one.indexOf('\n\n'))]).toEqual([idOf(other), other?.slice(other.indexOf('\n\n'))])
    expect((await reset()).status).toBe(200)
  })

  test('deletes mails after a day, sent or not', async () => {
    await forgetful()
    await wait()
    await cleanUpAccounts(box.context)
    expect(await mails()).toHaveLength(1)
    box.pass(days(1))
    await cleanUpAccounts(box.context)
    expect(await mails()).toEqual([])
  })
})

test('states 30 minutes for a link that is mailed immediately, and the remaining minutes later', () => {
  const words = (timeLeft: number) => passwordMail({ baseUrl: 'https://toolbox.example', token: 'a', timeLeft }, 'b')
  expect(words(minutes(30) - seconds(2)).text).toContain('within 30 minutes')
  expect(words(minutes(29) - seconds(30)).text).toContain('within 28 minutes')
})

test('the mail about a changed email states when and from where, unless an admin changed it', () => {
  const at = Date.UTC(2026, 10, 23, 15, 4)
  const place = { baseUrl: 'https://toolbox.example' }
  const own = emailChangedMail(place, { at, device: 'Firefox on Linux', address: '192.0.2.1', byAdmin: false })
  expect(own.text).toContain('It was changed on 23 November 2026 at 15:04 UTC from “Firefox on Linux”, 192.0.2.1.')
  const program = emailChangedMail(place, { at, device: 'www.evil.example', address: null, byAdmin: false })
  expect(program.text).toContain('from “www.\u200bevil.\u200bexample”.')
  const byAdmin = emailChangedMail(place, { at, device: null, address: null, byAdmin: true })
  expect(byAdmin.text).toContain('at 15:04 UTC by an admin.')
})
