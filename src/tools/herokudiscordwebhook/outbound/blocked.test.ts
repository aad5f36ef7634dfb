import { describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { deliveryScene } from '../../../../test/support/scenes/relay/delivery-scene.ts'
import { minutes } from '../../../shared/time.ts'
import { Active, Inactive } from '../../../shared/user.ts'

describe.each(dialects)('a paused relay on %s', async (dialect) => {
  const { box, hook, relay, deliver, states, notices, patch, send } = await deliveryScene(dialect)
  const incidents = () => box.db.q.selectFrom('incident').select('entry_id').execute()

  test('causes no notice when its webhook is deleted, and is blocked once it is active again', async () => {
    const paused = await box.relay(hook)
    await box.ada.patch(box.base, { id: paused.id, status: false })
    await box.db.q.deleteFrom('notification').execute()
    box.discord.answers(hook, 'unknown')
    await send(1)
    expect(await incidents()).toEqual([{ entry_id: relay.id }])
    expect(await notices()).toMatchObject([{ message: expect.not.stringContaining('2 entries') }])
    expect(await box.read(paused.id)).toMatchObject({ health: 'paused' })
    await box.ada.patch(box.base, { id: paused.id, status: true })
    expect(await box.read(paused.id)).toMatchObject({ health: 'blocked', blocked: { at: expect.any(Number) } })
    await box.db.q.deleteFrom('notification').execute()
    box.pass(minutes(1))
    await send(1, paused)
    expect(await notices()).toMatchObject([{ message: expect.stringContaining('is blocked') }])
    expect(await incidents()).toContainEqual({ entry_id: paused.id })
  })

  test("has no incident while its owner's account isn't active", async () => {
    await patch({ notifyAfter: 1 })
    await deliver(2)
    await box.db.q.deleteFrom('notification').execute()
    const setOwner = (status: number) => box.db.q.updateTable('users').set({ status }).execute()
    await setOwner(Inactive)
    await box.work.runDue()
    await setOwner(Active)
    expect(await states(relay.id)).toEqual(['held', 'held'])
    expect([await incidents(), await notices()]).toEqual([[], []])
    const { fails } = await box.db.q.selectFrom('entry').select('fails').executeTakeFirstOrThrow()
    expect([fails, await box.read(relay.id)]).toMatchObject([0, { health: 'ok', failingSince: null }])
  })
})

const unknownThread = { odd: { status: 404, body: '{"message":"Unknown Channel","code":10003}' } }

describe.each(dialects)('a deleted thread on %s', async (dialect) => {
  const { box, hook, relay, deliver, states, notices, send } = await deliveryScene(dialect)

  test('holds the events of its entry, but not of other entries with the same webhook', async () => {
    const threaded = await box.relay(hook, { threadId: '200000000000000001' })
    await box.db.q.deleteFrom('notification').execute()
    box.discord.answers(hook, unknownThread, 'ok')
    await deliver(2, threaded)
    await send(2)
    expect(await states(threaded.id)).toEqual(['held', 'held'])
    expect(await states()).toEqual(['delivered', 'delivered'])
    expect((await box.read(threaded.id)).blocked.why).toBe('answered 404: Unknown Channel')
    expect((await box.read(relay.id)).blocked).toBeNull()
    expect(await notices()).toHaveLength(1)
  })

  test('blocks its entry, also after a pause', async () => {
    const threaded = await box.relay(hook, { threadId: '200000000000000001' })
    const { id } = threaded
    box.discord.answers(hook, unknownThread)
    await send(1, threaded)
    const open = async () => (await box.ada.get(`/api/v1/incidents?open=true&id=${id}`)).body
    expect(await box.read(id)).toMatchObject({ health: 'blocked' })
    const [incident] = await open()
    await box.ada.patch(box.base, { id, status: false })
    expect(await box.read(id)).toMatchObject({ health: 'paused' })
    expect(await open()).toEqual([])
    await box.ada.patch(box.base, { id, status: true })
    expect(await box.read(id)).toMatchObject({ health: 'blocked' })
    expect(await open()).toEqual([incident])
  })

  test('can be replaced by another thread, to which held events are replayed', async () => {
    const threaded = await box.relay(hook, { threadId: '200000000000000001' })
    box.discord.answers(hook, unknownThread, 'ok')
    await send(1, threaded)
    await box.ada.patch(box.base, { id: threaded.id, threadId: '200000000000000002' })
    expect((await box.read(threaded.id)).blocked).toBeNull()
    expect((await box.ada.post(`${box.base}/deliveries/replay`, { id: threaded.id })).body).toEqual({ count: 1 })
    await box.work.runDue()
    expect(await states(threaded.id)).toEqual(['delivered'])
  })
})
