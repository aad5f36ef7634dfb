import { beforeEach, describe, expect, test } from 'vitest'
import { dialects, racingDialects, waitForLock } from '../../test/support/database/databases.ts'
import { beforeCheck } from '../../test/support/scenes/before-check.ts'
import { keepaliveScene } from '../../test/support/scenes/keepalive-scene.ts'
import { minutes } from '../shared/time.ts'
import type { BulkAnswer } from './contract.ts'

const path = '/api/v1/keepalive/bulk'
const nobodys = '00000000-0000-4000-8000-000000000000'

describe.each(dialects)('bulk acts on entries on %s', async (dialect) => {
  const { ada, adaUser, box, target, create, read } = await keepaliveScene(dialect)

  const bossUser = await box.createPerson('boss', 2)
  const boss = box.as(bossUser)
  beforeEach(() => {
    box.pass(minutes(1))
  })

  const some = async (count: number): Promise<string[]> => {
    const ids: string[] = []
    for (let at = 0; at < count; at++) ids.push((await create('/200')).id)
    return ids
  }

  test('pauses, activates and deletes each listed entry once, in order', async () => {
    const ids = await some(3)
    const many = async (act: string): Promise<BulkAnswer> => (await ada.post(path, { ids: [...ids, ids[0]], act })).body
    const statuses = () => Promise.all(ids.map(async (id) => (await read(id)).status))
    const updatedAt = async () =>
      Object.fromEntries(await Promise.all(ids.map(async (id) => [id, (await read(id)).updatedAt])))
    expect(await many('pause')).toEqual({ done: ids, unchanged: [], updatedAt: await updatedAt(), refused: [] })
    expect(await statuses()).toEqual([false, false, false])
    // Entries that are already paused are in `done`, and also in `unchanged`.
    await ada.patch('/api/v1/keepalive', { id: ids[1], status: true })
    expect(await many('pause')).toMatchObject({ done: ids, unchanged: [ids[0], ids[2]], refused: [] })
    expect(await many('activate')).toMatchObject({ done: ids, refused: [] })
    expect(await statuses()).toEqual([true, true, true])
    expect(await many('delete')).toEqual({ done: ids, unchanged: [], refused: [] })
    expect((await ada.get('/api/v1/keepalive/list')).body).toEqual([])
  })

  test('undoing a pause activates the entries again, except those edited since', async () => {
    const ids = await some(3)
    await ada.patch('/api/v1/keepalive', { id: ids[0], status: false })
    const { updatedAt } = (await ada.post(path, { ids, act: 'pause' })).body
    expect(Object.keys(updatedAt).toSorted()).toEqual(ids.slice(1).toSorted())
    await ada.patch('/api/v1/keepalive', { id: ids[1], name: 'Mine' })
    expect((await ada.post(path, { ids: ids.slice(1), act: 'activate', ifUpdatedAt: updatedAt })).body).toMatchObject({
      done: [ids[2]],
      refused: [{ id: ids[1], why: 'This entry was edited in the meantime.' }],
    })
    expect(await Promise.all(ids.map(async (id) => (await read(id)).status))).toEqual([false, false, true])
  })

  test('a rejected entry is returned with the reason and does not affect the others', async () => {
    const [first = '', last = ''] = await some(2)
    const others = (await boss.post('/api/v1/keepalive', { url: `${target.origin}/404` })).body.id
    const answer = await ada.post(path, { ids: [first, nobodys, others, last], act: 'delete' })
    const refused = [nobodys, others].map((id) => ({ id, why: 'Entry not found.' }))
    expect(answer).toMatchObject({ status: 200, body: { done: [first, last], refused } })
    expect((await boss.get(`/api/v1/keepalive?id=${others}`)).status).toBe(200)
  })

  test('runs count towards the limits of Run now, and runs beyond them are rejected', async () => {
    const ids = await some(2)
    for (let time = 0; time < 6; time++) box.context.visitLimits.consumeRun(adaUser.id, ids[0]!)
    expect((await ada.post(path, { ids, act: 'run' })).body).toEqual({
      done: [ids[1]],
      unchanged: [],
      refused: [{ id: ids[0], why: 'Too many runs of this entry. Try again in 60 seconds.' }],
    })
    await box.work.runDue()
    expect((await read(ids[1]!)).history).toHaveLength(2)
  })

  test('only users with Admin Access to the tools can give entries away, and only to existing users', async () => {
    const ids = await some(2)
    const give = { ids, act: 'give', owner: ' BOSS@example.com' }
    expect(await ada.post(path, give)).toMatchObject({ status: 400, body: { fields: { act: expect.any(String) } } })
    for (const owner of [undefined, 'nobody@example.com', 'nobody'])
      expect(await boss.post(path, { ...give, owner })).toMatchObject({
        status: 400,
        body: { fields: { owner: expect.any(String) } },
      })
    expect((await boss.post(path, give)).body).toEqual({ done: ids, unchanged: [], refused: [] })
    expect((await ada.get('/api/v1/keepalive/list')).body).toEqual([])
    const { rows } = (await boss.get('/api/v1/keepalive/list?filter[owner]=boss')).body
    expect(rows.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted())
    const logged = await box.db.q.selectFrom('audit').selectAll().where('action', '=', 'entry.edit').execute()
    expect(logged.filter(({ actor_id }) => actor_id === bossUser.id)).toHaveLength(2)
  })

  test.each([
    ['is blocked', { status: 0 }],
    ['loses Admin Access to the tools', { roles: JSON.stringify({ Admin: 0, Tools: 1 }) }],
  ])('stops once the acting admin %s', async (what, edit) => {
    const ids = await some(4)
    const person = await box.createPerson(what.replaceAll(' ', '-'), 2)
    beforeCheck(box.app, 3, () => box.db.q.updateTable('users').set(edit).where('id', '=', person.id).execute())
    expect((await box.as(person).post(path, { ids, act: 'delete' })).body).toEqual({
      done: ids.slice(0, 2),
      unchanged: [],
      refused: ids.slice(2).map((id) => ({ id, why: 'You lost access before this was done.' })),
    })
    expect((await ada.get('/api/v1/keepalive/list')).body).toHaveLength(2)
  })

  test('rejects an unreadable entry and still processes the others', async () => {
    const [spoilt = '', sound = ''] = await some(2)
    await box.db.q.updateTable('entry').set({ settings: '{}' }).where('id', '=', spoilt).execute()
    expect((await ada.post(path, { ids: [spoilt, sound], act: 'pause' })).body).toMatchObject({
      done: [sound],
      refused: [{ id: spoilt, why: 'Something went wrong.' }],
    })
  })

  test('rejects the whole request if one ID contains control characters', async () => {
    const [first = ''] = await some(1)
    const answer = await ada.post(path, { ids: [first, 'a\u0000'], act: 'pause' })
    expect(answer).toMatchObject({ status: 400, body: { error: "An ID can't contain control characters." } })
    expect((await read(first)).status).toBe(true)
  })

  test('rejects more than 1,000 ids, no ids, and acts that the tool does not have', async () => {
    const ids = Array.from({ length: 1_001 }, (_, at) => `id-${at}`)
    const field = async (body: object, tool = 'keepalive') => {
      const { status, body: answer } = await ada.post(`/api/v1/${tool}/bulk`, body)
      return [status, ...Object.keys(answer.fields ?? {})]
    }
    expect(await field({ ids, act: 'pause' })).toEqual([400, 'ids'])
    expect(await field({ ids: [], act: 'pause' })).toEqual([400, 'ids'])
    expect(await field({ ids: ['one'], act: 'explode' })).toEqual([400, 'act'])
    expect(await field({ ids: ['one'], act: 'run' }, 'herokudiscordwebhook')).toEqual([400, 'act'])
    expect(await field({ ids: ['one'], act: 'pause', owner: 'boss@example.com' })).toEqual([400, 'owner'])
    const { body } = await ada.post(path, { ids: ids.slice(1), act: 'pause' })
    expect([body.done.length, body.refused.length]).toEqual([0, 1_000])
  })
})

describe.each(racingDialects)('a bulk act on entries on %s', async (dialect) => {
  const { box, ada, create, read } = await keepaliveScene(dialect)

  test('waits for an edit and a deletion of some of the entries, and affects the others', async () => {
    const ids: string[] = []
    for (let at = 0; at < 3; at++) ids.push((await create('/200')).id)
    const [edited = '', deleted = '', other = ''] = ids
    let pausing: Promise<{ body: BulkAnswer }> | undefined
    await box.db.q.transaction().execute(async (q) => {
      await q.updateTable('entry').set({ name: 'Mine' }).where('id', '=', edited).execute()
      await q.deleteFrom('entry').where('id', '=', deleted).execute()
      pausing = ada.post(path, { ids, act: 'pause' })
      if (dialect === 'postgres') await waitForLock(box.db.q, pausing)
    })
    const refused = [{ id: deleted, why: 'Entry not found.' }]
    expect((await pausing)?.body).toMatchObject({ done: [edited, other], refused })
    expect(await read(edited)).toMatchObject({ status: false, name: 'Mine' })
    expect((await read(other)).status).toBe(false)
  })
})
