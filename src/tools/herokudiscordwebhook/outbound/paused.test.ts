import { describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { deliveryScene } from '../../../../test/support/scenes/relay/delivery-scene.ts'
import { minutes } from '../../../shared/time.ts'
import { Active, Inactive } from '../../../shared/user.ts'

describe.each(dialects)('a paused relay on %s', async (dialect) => {
  const { box, hook, relay, deliver, states, notices, patch } = await deliveryScene(dialect)
  const incidents = () => box.db.q.selectFrom('incident').select('entry_id').execute()

  test('causes no notice when its webhook is deleted, and is blocked once it is active again', async () => {
    const paused = await box.relay(hook)
    await box.ada.patch(box.base, { id: paused.id, status: false })
    await box.db.q.deleteFrom('notification').execute()
    box.discord.answers(hook, 'unknown')
    await deliver(1)
    await box.work.runDue()
    expect(await incidents()).toEqual([{ entry_id: relay.id }])
    expect(await notices()).toMatchObject([{ message: expect.not.stringContaining('2 entries') }])
    expect(await box.read(paused.id)).toMatchObject({ health: 'paused' })
    await box.ada.patch(box.base, { id: paused.id, status: true })
    expect(await box.read(paused.id)).toMatchObject({ health: 'blocked', blocked: { at: expect.any(Number) } })
    await box.db.q.deleteFrom('notification').execute()
    box.pass(minutes(1))
    await deliver(1, paused)
    await box.work.runDue()
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
