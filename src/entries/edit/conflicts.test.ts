import { describe, expect, test } from 'vitest'
import { bothDialects } from '../../../test/support/database/databases.ts'
import { keepaliveScene } from '../../../test/support/scenes/keepalive-scene.ts'
import { hours, minutes } from '../../shared/time.ts'

const path = '/api/v1/keepalive'

describe.each(bothDialects)('concurrent edits of an entry on %s', async (dialect) => {
  const { box, ada, create, read } = await keepaliveScene(dialect)

  test('rejects an edit of an outdated version and returns the current entry', async () => {
    const person = await box.createPerson(`boss of ${dialect}`.replaceAll(' ', '-'), 2)
    const boss = box.as(person)
    const { id } = await create('/200')
    const { updatedAt } = await read(id)
    box.pass(minutes(1))
    const theirs = await boss.patch(path, { id, interval: 7, ifUpdatedAt: updatedAt })
    expect(theirs).toMatchObject({ status: 200, body: { interval: 7, updatedAt: box.now() } })
    box.pass(minutes(1))
    const mine = await ada.patch(path, { id, interval: 9, ifUpdatedAt: updatedAt })
    const current = await read(id)
    expect(mine).toMatchObject({ status: 409, body: { error: expect.stringContaining('boss'), current } })
    expect(current).toMatchObject({
      interval: 7,
      changedBy: `boss-of-${dialect}`,
      changedById: person.id,
      changedAt: theirs.body.updatedAt,
    })
    const retry = await ada.patch(path, { ...current, interval: 9, ifUpdatedAt: current.updatedAt })
    expect(retry.body.interval).toBe(9)
    expect((await ada.patch(path, { id, interval: 11 })).body.interval).toBe(11)
  })

  test('exactly one of two concurrent edits wins, even if the clock stands still or is set back', async () => {
    const { id } = await create('/200')
    for (let round = 0; round < 10; round++) {
      const { updatedAt } = await read(id)
      const edits = await Promise.all(
        [2 * round + 1, 2 * round + 2].map((interval) => ada.patch(path, { id, interval, ifUpdatedAt: updatedAt })),
      )
      expect(edits.map(({ status }) => status).sort()).toEqual([200, 409])
      const won = edits.find(({ status }) => status === 200)
      expect(await read(id)).toMatchObject({ interval: won?.body.interval, updatedAt: won?.body.updatedAt })
      expect(won?.body.updatedAt).toBeGreaterThan(updatedAt)
      if (round === 5) box.stepClock(-hours(1))
    }
    box.stepClock(hours(1))
  })

  test('neither runs nor saving unchanged values count as edits', async () => {
    const { id } = await create('/200')
    const before = await read(id)
    box.pass(minutes(1))
    await box.work.runDue()
    await ada.post(`${path}/run?id=${id}`)
    await box.work.runDue()
    await ada.patch(path, before)
    const after = await read(id)
    expect(after.history).toHaveLength(2)
    expect(after.updatedAt).toBe(before.updatedAt)
    expect((await ada.patch(path, { id, status: false, ifUpdatedAt: before.updatedAt })).status).toBe(200)
  })

  test('rejects an edit only if the entry is newer than ifUpdatedAt, and the error gives the reason', async () => {
    const { id } = await create('/200')
    const { updatedAt } = await read(id)
    const save = (interval: number, ifUpdatedAt: number) => ada.patch(path, { id, interval, ifUpdatedAt })
    for (const none of [-1, 1.5]) expect((await save(3, none)).status).toBe(400)
    expect(await save(3, 0)).toMatchObject({
      status: 409,
      body: { error: 'This entry is newer than that. Send updatedAt as it was read.', current: { id } },
    })
    expect((await save(3, updatedAt + hours(1))).status).toBe(200)
    expect(await save(5, updatedAt)).toMatchObject({
      status: 409,
      body: { error: 'ada changed this entry in the meantime.', current: { interval: 3 } },
    })
  })

  test('the OpenAPI document describes the response to a rejected edit', async () => {
    const { paths } = (await ada.get('/api/v1/openapi.json')).body
    for (const record of [path, '/api/v1/admin/user'])
      expect(paths[record].patch.responses['409'].content['application/json'].schema.properties).toMatchObject({
        error: { type: 'string' },
        current: { properties: { changedAt: expect.anything(), changedBy: expect.anything() } },
      })
  })

  test('the name and id of a deleted editor are null', async () => {
    const editor = await box.createPerson(`gone-${dialect}`, 2)
    const { id } = await create('/200')
    await box.as(editor).patch(path, { id, interval: 3 })
    expect((await read(id)).changedBy).toBe(`gone-${dialect}`)
    await box.db.q.deleteFrom('users').where('id', '=', editor.id).execute()
    expect(await read(id)).toMatchObject({ changedBy: null, changedById: null })
  })
})
