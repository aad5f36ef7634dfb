import { describe, expect, test } from 'vitest'
import { bothDialects, waitForLock } from '../../../../test/support/database/databases.ts'
import { deliveryScene } from '../../../../test/support/scenes/relay/delivery-scene.ts'
import { release } from '../../../../test/support/scenes/relay/relay.ts'
import { jobs as jobQueue } from '../../../platform/jobs/jobs.ts'
import { minutes, seconds } from '../../../shared/time.ts'
import { writeEvents } from '../accept.ts'
import { testEvent } from '../message/message.ts'
import { deliver as work } from '../outbound/deliver.ts'
import { deliveryKind, rescheduleDelivery } from './delivery-job.ts'
import { eventIds } from './store.ts'

describe.each(bothDialects)('events that wait for one Discord webhook on %s', async (dialect) => {
  const { box, hook, relay, deliver, lastVersion, titles, posted, states, history, notices, send, runAfter } =
    await deliveryScene(dialect)
  /** Creates an entry with this webhook and another owner. */
  const createAsBoss = async (discordHook: string) => {
    const boss = box.as(await box.createPerson(`boss${box.now()}`, 2))
    return { boss, body: (await boss.post(`${box.base}/`, { discordHook })).body }
  }
  const jobs = () => box.db.q.selectFrom('job').select(['entry_id', 'lease_by']).execute()

  test('have one delivery job', async () => {
    await deliver(3)
    expect(await jobs()).toEqual([{ entry_id: relay.id, lease_by: null }])
  })

  test('keep their job if one is committed while the previous one ends', async () => {
    await deliver(1)
    let commit = () => {}
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve
    })
    let coming: Promise<unknown> = Promise.resolve()
    await new Promise<void>((written, failed) => {
      coming = box.db.q
        .transaction()
        .execute(async (tx) => {
          const { id, at: received_at } = eventIds(box.now)()
          const more = { state: 'accepted', received_at, note: null, payload: '{}', collapse_key: null } as const
          await writeEvents(box.context, tx, [{ id, entry_id: relay.id, event_id: 'second', ...testEvent, ...more }])
          written()
          await mayCommit
        })
        .catch(failed)
    })
    const ending = box.db.q.transaction().execute(async (tx) => {
      const first = tx.updateTable('relay_event').set({ state: 'delivered' })
      await first.where('event_id', '<>', 'second').execute()
      await rescheduleDelivery(box.db, tx, relay.id, { at: box.now() })
    })
    // Without a lock, the transaction would end now. SQLite's would wait for the other one in any case.
    if (dialect === 'postgres') await waitForLock(box.db.q, ending)
    commit()
    await Promise.all([coming, ending])
    expect(await jobs()).toHaveLength(1)
    await box.work.runDue()
    expect(await states()).toEqual(['delivered', 'delivered'])
    expect(await jobs()).toEqual([])
  })

  test('of entries that share a webhook have one order, are held together, and each owner is notified', async () => {
    await box.db.q.deleteFrom('notification').execute()
    const { boss, body } = await createAsBoss(hook.url)
    const second = { id: body.id, secret: body.secret, path: new URL(body.herokuEndpoint).pathname }
    await deliver(1)
    await deliver(1, second)
    await send(1)
    expect(posted()).toEqual(titles(1, 2, 3))
    box.discord.answers(hook, 'unknown')
    await deliver(1)
    await send(1, second)
    expect((await boss.get(`${box.base}?id=${second.id}`)).body.blocked).not.toBeNull()
    expect(new Set((await notices()).map(({ user_id }) => user_id)).size).toBe(2)
    expect(box.discord.faults).toEqual([])
  })

  test('are not held because another entry has a wrong token for the webhook', async () => {
    const token = hook.token.replaceAll(/./g, 'x')
    const wrong = { ...hook, token, url: hook.url.replace(hook.token, token) }
    box.discord.silence(wrong)
    const { boss, body } = await createAsBoss(wrong.url)
    expect(body.warning).toContain("couldn't check")
    box.discord.revoke(wrong)
    expect((await boss.post(`${box.base}/test?id=${body.id}`)).status).toBe(202)
    await box.work.runDue()
    expect((await boss.get(`${box.base}?id=${body.id}`)).body.blocked.why).toContain('Invalid Webhook Token')
    await send(1)
    expect(posted()).toEqual(titles(1))
    expect((await box.read(relay.id)).blocked).toBeNull()
  })

  test('go to a new webhook in order, together with replayed ones', async () => {
    box.discord.answers(hook, 'unknown')
    await send(2)
    const better = box.discord.webhook()
    const answer = await box.ada.patch(box.base, { id: relay.id, discordHook: better.url })
    expect(answer.body).toMatchObject({ blocked: null, webhookId: better.id })
    await deliver(1)
    expect((await box.ada.post(`${box.base}/deliveries/replay`, { id: relay.id })).body).toEqual({ count: 2 })
    await box.work.runDue()
    expect(box.discord.postedTitles(better)).toEqual(titles(1, 2, 3))
    expect(await states()).toEqual(['delivered', 'delivered', 'delivered'])
  })

  test('wait for a message in flight even if its entry switches to another webhook', async () => {
    const second = await box.relay(hook)
    box.discord.answers(hook, 'hang', 'ok')
    await deliver(1)
    await deliver(1, second)
    const out = box.work.runDue()
    await expect.poll(box.discord.hanging).toBe(1)
    const better = box.discord.webhook()
    await box.ada.patch(box.base, { id: relay.id, discordHook: better.url })
    expect(await jobQueue(box.db, 'another instance', box.now).claim(box.now(), minutes(1), 10)).toEqual([])
    box.discord.resetHanging()
    await out
    await runAfter(seconds(5))
    expect([box.discord.postedTitles(better), posted()]).toEqual([titles(1), titles(2)])
  })

  test('that wait for a retry follow their entry to a new webhook or thread immediately', async () => {
    for (const edit of ['webhook', 'thread']) {
      box.discord.answers(hook, 'broken')
      await send(2)
      box.discord.answers(hook, 'ok')
      const better = edit === 'webhook' ? box.discord.webhook() : hook
      const body = edit === 'webhook' ? { discordHook: better.url } : { threadId: '200000000000000001' }
      await box.ada.patch(box.base, { id: relay.id, ...body })
      expect(await box.db.q.selectFrom('job').select('lane').distinct().execute()).toEqual([{ lane: better.id }])
      await box.work.runDue()
      expect(box.discord.postedTitles(better), edit).toHaveLength(2)
      await box.ada.patch(box.base, { id: relay.id, discordHook: hook.url, threadId: null })
    }
  })

  test.each(['resetHanging', 'denyHanging'] as const)(
    'are not affected by the answer of a webhook that was replaced meanwhile (%s)',
    async (answer) => {
      box.discord.answers(hook, 'hang')
      expect((await box.ada.post(`${box.base}/test?id=${relay.id}`)).status).toBe(202)
      const out = box.work.runDue()
      await expect.poll(box.discord.hanging).toBe(1)
      const better = box.discord.webhook()
      await box.ada.patch(box.base, { id: relay.id, discordHook: better.url })
      expect((await box.ada.post(`${box.base}/test?id=${relay.id}`)).status).toBe(202)
      box.discord[answer]()
      await out
      await box.work.runDue()
      expect(box.discord.postedTitles(better)).toHaveLength(2)
      expect(await box.deliveries(relay.id)).toMatchObject(
        Array(2).fill({ state: 'delivered', note: 'answered 200', attempts: 1 }),
      )
      expect(await box.read(relay.id)).toMatchObject({ blocked: null, history: Array(2).fill({ success: true }) })
    },
  )

  test('are held while their owner is not active', async () => {
    await deliver(1)
    const owner = box.db.q.updateTable('users').where('id', '=', box.adaUser.id)
    await owner.set({ status: 0 }).execute()
    await box.work.runDue()
    await owner.set({ status: 2 }).execute()
    expect(box.discord.calls).toEqual([])
    expect(await states()).toEqual(['held'])
  })

  test('delay neither Heroku nor other webhooks while Discord hangs', async () => {
    const other = box.discord.webhook()
    const free = await box.relay(other)
    box.discord.answers(hook, 'hang', 'ok')
    await deliver(2)
    const working = box.work.runDue()
    await expect.poll(() => box.discord.hanging()).toBe(1)
    await deliver(1, free)
    await box.secondWorker().runDue()
    expect(box.discord.postedTitles(other)).toEqual(titles(3))
    expect(posted()).toEqual([])
    box.discord.resetHanging()
    await working
    await runAfter(seconds(5))
    expect(posted()).toEqual(titles(1, 2))
    expect(box.discord.faults).toEqual([])
  })

  test('are delivered at least once and in order when the instance that leased them dies', async () => {
    await deliver(3)
    const dead = await box.context.jobs.claim(box.now(), minutes(1), 10)
    expect(dead).toHaveLength(1)
    const survivor = box.secondWorker()
    await survivor.runDue()
    expect(box.discord.calls).toEqual([])
    box.pass(minutes(1))
    await survivor.runDue()
    expect(posted()).toEqual(titles(1, 2, 3))
    expect(await states()).toEqual(['delivered', 'delivered', 'delivered'])
  })

  test('stay delivered when an instance whose lease has expired reports a failure', async () => {
    box.discord.answers(hook, 'hang', 'ok')
    await deliver(1)
    const late = box.work.runDue()
    await expect.poll(() => box.discord.hanging()).toBe(1)
    box.pass(minutes(1) + 1)
    await box.secondWorker().runDue()
    expect(posted()).toEqual(titles(1))
    await box.db.q.deleteFrom('notification').execute()
    box.discord.denyHanging()
    await late
    expect(await states()).toEqual(['delivered'])
    expect(await history()).toHaveLength(1)
    expect((await box.read(relay.id)).blocked).toBeNull()
    expect(await notices()).toEqual([])
    expect(await jobs()).toEqual([])
  })

  test('are postponed and sent in order when two jobs of the webhook were claimed at the same time', async () => {
    await deliver(1)
    await deliver(1, await box.relay(hook))
    box.discord.forget()
    await box.db.q
      .updateTable('job')
      .set({ lease_by: 'another', free_at: box.now() + minutes(1) })
      .execute()
    const claimed = await box.db.q.selectFrom('job').selectAll().orderBy('turn_at').execute()
    expect(claimed).toHaveLength(2)
    for (const { id, entry_id: entryId, lane, turn_at: turnAt, due_at: dueAt } of claimed) {
      const entries = box.db.q.selectFrom('entry').selectAll().where('id', '=', entryId)
      const entry = await entries.executeTakeFirstOrThrow()
      const turn = { turnAt, dueAt, attempt: 0, waitingSince: null, claim: 0 }
      const job = { id, kind: deliveryKind, entryId, lane, payload: null, ...turn }
      const its = { id: entryId, tool: entry.tool, ownerId: entry.owner_id, ownerActive: true, isFailing: false }
      const config = { ...box.context.config, relayRetry: [] }
      const context = { ...box.context, config }
      const result = await work(job, { ...its, id: entry.id, stored: JSON.parse(entry.settings) }, context).run({
        holdsLease: () => true,
        now: box.now,
        waitingSince: 0,
        hasWaited: false,
      })
      expect(result.verdict).toEqual({ id, turnAt, dueAt: box.now(), attempt: 0 })
    }
    expect(box.discord.calls).toEqual([])
    await runAfter(minutes(1))
    expect(posted()).toEqual(titles(1, 2))
  })

  test('are sent once, in order and one at a time per webhook, by several instances', async () => {
    const hooks = [hook, box.discord.webhook(), box.discord.webhook()]
    const relays = [relay, await box.relay(hooks[1]!), await box.relay(hooks[2]!)]
    const versions = hooks.map((): number[] => [])
    for (let round = 0; round < 5; round++)
      for (const [at, one] of relays.entries()) {
        await deliver(1, one)
        versions[at]!.push(lastVersion())
      }
    const others = [box.secondWorker(), box.secondWorker()]
    await Promise.all([box.work, ...others].map((one) => one.runDue()))
    await runAfter(seconds(1))
    for (const [at, one] of hooks.entries()) expect(box.discord.postedTitles(one)).toEqual(titles(...versions[at]!))
    expect(box.discord.faults).toEqual([])
  })

  test('cause at most 40 calls per second', async () => {
    const many = await Promise.all(Array.from({ length: 45 }, () => box.relay(box.discord.webhook())))
    box.pass(seconds(1))
    box.discord.forget()
    await Promise.all(many.map((one, at) => box.deliver(one, release(at))))
    await box.work.runDue()
    expect(box.discord.calls).toHaveLength(40)
    await runAfter(seconds(1) - 1)
    expect(box.discord.calls).toHaveLength(40)
    await runAfter(seconds(0.2))
    expect(box.discord.calls).toHaveLength(45)
  })
})
