import { describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { fakeWeb } from '../../../test/support/fakes/fake-web.ts'
import { redirectPublicAddresses } from '../../../test/support/public-addresses.ts'
import { closeAfterwards, toolbox } from '../../../test/support/toolbox.ts'
import { minutes } from '../../shared/time.ts'

redirectPublicAddresses()

describe.each(dialects)('entries whose hosts share an address, on %s', async (dialect) => {
  const web = closeAfterwards(await fakeWeb())
  web.on('/', {})
  const box = closeAfterwards(await toolbox(dialect, {}, undefined, { resolve: async () => ['8.8.8.8'] }))

  test('run at most two a second per owner; waiting entries show since when, and have no run', async () => {
    const [ada, bob] = [box.as(await box.createPerson('ada')), box.as(await box.createPerson('bob'))]
    const create = async (who: typeof ada, name: string) =>
      (await who.post('/api/v1/keepalive/', { url: `http://${name}.test:${web.port}/` })).body.id as string
    const read = async (who: typeof ada, id: string) => (await who.get(`/api/v1/keepalive?id=${id}`)).body
    const ids = []
    for (let n = 0; n < 6; n++) ids.push(await create(ada, `app${n}`))
    const created = box.now()
    for (let n = 0; n < 2; n++) await create(bob, `app${n}`)
    await box.work.runDue()
    expect(web.visits).toHaveLength(4)
    const adas = await Promise.all(ids.map((id) => read(ada, id)))
    const waiting = adas.filter((entry) => entry.lastRun === null)
    expect(waiting).toHaveLength(4)
    for (const entry of waiting)
      expect(entry).toMatchObject({ waitingSince: created, history: [], nextRunAt: expect.any(Number) })
    expect(await box.context.metrics.text()).toContain('toolbox_turns_waiting_total{kind="turn"} 4')

    // The waiting turns are tried again half a second apart.
    for (let n = 0; n < 6; n++) {
      box.pass(500)
      await box.work.runDue()
    }
    const done = await Promise.all(ids.map((id) => read(ada, id)))
    expect(done.map(({ waitingSince, history }) => [waitingSince, history.length])).toEqual(Array(6).fill([null, 1]))
    expect(web.visits).toHaveLength(8)

    // Run now is subject to the same rate.
    box.pass(minutes(1))
    for (const id of ids.slice(0, 3)) expect((await ada.post(`/api/v1/keepalive/run?id=${id}`)).status).toBe(202)
    await box.work.runDue()
    expect(web.visits).toHaveLength(10)
    const reloaded = await Promise.all(ids.slice(0, 3).map((id) => read(ada, id)))
    expect(reloaded.map(({ history }) => history.length).sort()).toEqual([1, 2, 2])
  })
})
