import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { webhookScene } from '../../../../test/support/scenes/relay/webhook-scene.ts'
import { days, hours, minutes, seconds } from '../../../shared/time.ts'

describe.each(dialects)('delayed messages on %s', async (dialect) => {
  const { scene, webhook, payloads, summaries, ids, answers, jobs } = await webhookScene(dialect)
  const { openIncident } = scene

  test('sends nothing while the user is inactive or the channel is off', async () => {
    const { db, adaUser, fail, wait, ada, path } = scene
    const id = await webhook()
    const setStatus = (status: number) =>
      db.q.updateTable('users').set({ status }).where('id', '=', adaUser.id).execute()
    await fail('a')
    await setStatus(1)
    await fail('b')
    await wait(minutes(2))
    await setStatus(2)
    await wait(minutes(2))
    await fail('c')
    await ada.patch(path, { id, status: false })
    await fail('d')
    await wait(minutes(2))
    await ada.patch(path, { id, status: true })
    await wait(minutes(2))
    expect(scene.services.visits).toEqual([])
    expect(await scene.pending()).toBe(0)
    await fail('e')
    await wait(minutes(2))
    expect(summaries()).toEqual(['entry.failing e 1'])
  })

  test('retries a failed message with the same id, and without later changes', async () => {
    const id = await webhook()
    answers('webhook', 'broken', 'reset', 'broken', 'ok')
    await scene.fail('a')
    await scene.wait(seconds(10))
    expect(await scene.read(id)).toMatchObject({ lastError: 'answered 503: try later', failingSince: scene.now() })
    await scene.fail('b')
    await scene.wait(seconds(4))
    expect(ids()).toHaveLength(1)
    await scene.wait(seconds(1))
    await scene.wait(seconds(30))
    expect(ids()).toHaveLength(3)
    await scene.wait(minutes(2))
    expect(new Set(ids()).size).toBe(1)
    expect(summaries()).toEqual(['entry.failing a 1'])
    expect(await scene.read(id)).toMatchObject({ lastError: null, failingSince: null, lastSentAt: scene.now() })
    await scene.wait(minutes(1))
    expect(summaries()).toEqual(['entry.failing a 1', 'entry.failing b 1'])
  })

  test('holds a refused message, shows the error, and retries hourly with one job', async () => {
    const id = await webhook()
    answers('webhook', 'gone')
    await scene.fail('a')
    await scene.wait(seconds(10))
    expect(await scene.read(id)).toMatchObject({ lastError: 'answered 410: gone', status: true })
    for (const name of ['b', 'c', 'd']) {
      await scene.fail(name)
      scene.pass(1)
    }
    await scene.wait(minutes(59))
    expect(ids()).toHaveLength(1)
    await scene.wait(minutes(1))
    expect([ids().length, await jobs()]).toEqual([2, 1])
    answers('webhook', 'ok')
    await scene.wait(hours(1))
    expect(summaries()).toEqual(['entry.failing a 1'])
    await scene.wait(minutes(1))
    expect(summaries().slice(1)).toEqual(['entry.failing b,c,d 3'])
    expect(await jobs()).toBe(0)
  })

  test('sends held messages immediately after an edit, and after an accepted test', async () => {
    const { ada, path, fail, wait } = scene
    const id = await webhook()
    answers('webhook', 'gone')
    await fail('a')
    await wait(seconds(10))
    answers('webhook', 'ok')
    await ada.patch(path, { id, name: 'Mended' })
    await wait(0)
    expect(summaries()).toEqual(['entry.failing a 1'])
    await wait(minutes(5))
    answers('webhook', 'gone')
    await fail('b')
    await wait(seconds(10))
    expect((await ada.post(`${path}/test?id=${id}`)).status).toBe(202)
    await wait(0)
    expect(await scene.read(id)).toMatchObject({ lastError: 'answered 410: gone' })
    answers('webhook', 'ok')
    await ada.post(`${path}/test?id=${id}`)
    await wait(0)
    expect(summaries()).toEqual(['entry.failing a 1', 'test  0', 'entry.failing b 1'])
    expect(await scene.read(id)).toMatchObject({ lastError: null, failingSince: null })
  })

  test('switches off a channel that fails for a day, and notifies its user', async () => {
    const { db, adaUser, fail, wait } = scene
    const id = await webhook({ name: 'Ops' })
    answers('webhook', 'gone')
    await fail('a')
    await wait(seconds(10))
    for (let hour = 0; hour < 24; hour += 1) {
      expect(await scene.read(id)).toMatchObject({ status: true })
      await wait(hours(1))
    }
    expect(await scene.read(id)).toMatchObject({ status: false, lastError: 'answered 410: gone' })
    expect(await scene.pending()).toBe(0)
    const notices = await db.q.selectFrom('notification').select(['user_id', 'message']).execute()
    expect(notices).toContainEqual({
      user_id: adaUser.id,
      message: 'Your Webhook channel “Ops” was switched off because it had failed for 24 hours: “answered 410: gone”.',
    })
    answers('webhook', 'ok')
    await wait(hours(2))
    expect(summaries()).toEqual([])
  })

  test('keeps an email channel and its messages while the mail server is down for a day', async () => {
    const { fail, wait, smtp } = scene
    const id = await scene.confirmedEmail()
    smtp.setGreeting('554 5.3.2 Not accepting mail')
    await fail('Shop')
    await wait(seconds(10))
    for (let hour = 0; hour < 25; hour += 1) await wait(hours(1))
    expect(await scene.read(id)).toMatchObject({
      status: true,
      lastError: 'the mail server answered 554 5.3.2 Not accepting mail',
    })
    smtp.setGreeting('220 mail.example.com ESMTP')
    smtp.setRecipientReply('550 5.7.1 Greylisted for an hour')
    await wait(hours(1))
    expect(await scene.read(id), 'its first refusal').toMatchObject({
      status: true,
      lastError: expect.stringContaining('550 5.7.1'),
    })
    smtp.setRecipientReply('250 OK')
    await wait(hours(1))
    expect(smtp.mails.map(({ source }) => /^Subject: (.*)$/m.exec(source)?.[1])).toEqual(['[ToolBox] Shop is failing'])
  })

  test('switches off an email channel whose address is refused for a day', async () => {
    const { fail, wait, smtp } = scene
    const id = await scene.confirmedEmail()
    smtp.setRecipientReply('550 5.1.1 No such user')
    await fail('Shop')
    await wait(seconds(10))
    for (let hour = 0; hour < 24; hour += 1) await wait(hours(1))
    expect(await scene.read(id)).toMatchObject({ status: false })
  })

  test('holds notices until quiet hours end', async () => {
    const { fail, wait, now, stepClock } = scene
    // Moves to a Monday at noon.
    stepClock(Date.UTC(2026, 0, 12, 12) - now())
    await scene.work.runDue()
    await webhook({ quiet: { zone: 'UTC', days: [1], from: '12:00', to: '13:00' } })
    await fail('a')
    await wait(minutes(59))
    expect(summaries()).toEqual([])
    await fail('b')
    await wait(minutes(1))
    expect(summaries()).toEqual(['entry.failing a,b 2'])
  })

  test('sends a test message even in quiet hours, and for a channel that is off', async () => {
    const { ada, path, wait } = scene
    const quiet = { zone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '23:59' }
    const id = await webhook({ quiet, status: false })
    await ada.post(`${path}/test?id=${id}`)
    await wait(0)
    expect(summaries()).toEqual(['test  0'])
  })

  test('reminds a new channel of a failure that began before it', async () => {
    await openIncident()
    await webhook({ remindEvery: 4 })
    await scene.wait(hours(3))
    expect(summaries()).toEqual([])
    await scene.wait(hours(1))
    expect(summaries()).toEqual(['entry.failing Shop 1'])
  })

  test.each(['new', 'renamed'])('reminds a %s channel of a later failure only after the interval', async (kind) => {
    const id = await webhook({ remindEvery: 4 })
    if (kind === 'renamed') await scene.ada.patch(scene.path, { id, name: 'Ops' })
    await scene.wait(hours(4) - minutes(1))
    await openIncident()
    await scene.fail('Shop')
    await scene.wait(seconds(10))
    await scene.wait(hours(4) - seconds(1))
    expect(summaries()).toEqual(['entry.failing Shop 1'])
    await scene.wait(seconds(1))
    expect(summaries()).toHaveLength(2)
  })

  test('reminds no new channel that is off', async () => {
    await openIncident()
    await webhook({ remindEvery: 4, status: false })
    expect(await jobs()).toBe(0)
  })

  test('reminds of a blocked relay as blocked, in a message of its own', async () => {
    await openIncident(scene.now())
    await webhook({ remindEvery: 4 })
    await scene.wait(hours(4))
    expect(summaries()).toEqual(['relay.blocked Shop 1'])
    scene.services.forget()
    await openIncident()
    await scene.wait(hours(4))
    await scene.wait(minutes(1))
    expect(summaries().sort()).toEqual(['entry.failing Shop 1', 'relay.blocked Shop 1'])
    expect(new Set(ids()).size).toBe(2)
    await scene.wait(hours(4) - 1)
    expect(summaries()).toHaveLength(2)
    await scene.wait(1)
    await scene.wait(minutes(1))
    expect(summaries()).toHaveLength(4)
  })

  test('sends both reminders even if storing one of them fails at first', async () => {
    await openIncident()
    await scene.wait(1)
    await openIncident(scene.now())
    await webhook({ remindEvery: 4 })
    const restore = await refuse('stillBlocked')
    await scene.wait(hours(4))
    await restore()
    await scene.wait(minutes(1))
    await scene.wait(minutes(1))
    expect(summaries().sort()).toEqual(['entry.failing Shop 1', 'relay.blocked Shop 1'])
  })

  /** Lets the database refuse pending notices of this type. */
  async function refuse(type: string) {
    const run = (text: string) => sql.raw(text).execute(scene.db.q)
    if (dialect === 'postgres')
      await run("create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$")
    const action = dialect === 'postgres' ? 'execute function refuse()' : "begin select raise(abort, 'refused'); end"
    const each = dialect === 'postgres' ? `for each row when (new.type = '${type}')` : `when new.type = '${type}'`
    await run(`create trigger refuse_here before insert on channel_news ${each} ${action}`)
    return () => run(dialect === 'postgres' ? 'drop function refuse cascade' : 'drop trigger refuse_here')
  }

  test('sends reminders at the interval until the failure ends', async () => {
    const { ada, db, fail, wait } = scene
    await openIncident()
    const id = await webhook({ remindEvery: 4 })
    await fail('Shop')
    await wait(seconds(10))
    await wait(hours(3))
    expect(summaries()).toEqual(['entry.failing Shop 1'])
    await wait(hours(1))
    await wait(hours(4))
    expect(summaries()).toEqual(Array(3).fill('entry.failing Shop 1'))
    expect(payloads().at(-1)?.data.entries[0]?.url).toBe('http://127.0.0.1:9/health')
    for (const status of [false, true]) {
      await ada.patch(scene.path, { id, status })
      await wait(hours(4))
    }
    expect(summaries()).toHaveLength(4)
    await sql`update incident set closed_at = ${scene.now()}`.execute(db.q)
    await wait(days(1))
    expect(summaries()).toHaveLength(4)
    expect(await jobs()).toBe(0)
  })

  test('a change of the clock neither delays messages nor switches a channel off early', async () => {
    const { fail, wait, stepClock } = scene
    const id = await webhook()
    answers('webhook', 'gone')
    await fail('a')
    await wait(seconds(10))
    for (let n = 0; n < 6; n += 1) await wait(hours(1))
    stepClock(days(2))
    await wait(hours(1))
    expect(await scene.read(id)).toMatchObject({ status: true })
    stepClock(-days(3))
    answers('webhook', 'ok')
    await wait(hours(1))
    expect(summaries()).toEqual(['entry.failing a 1'])
    await fail('b')
    await wait(minutes(1))
    expect(summaries()).toEqual(['entry.failing a 1', 'entry.failing b 1'])
    stepClock(days(1))
    await scene.work.runDue()
  })
})
