import { beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { keepaliveScene } from '../../../test/support/scenes/keepalive-scene.ts'
import { minutes } from '../../shared/time.ts'

describe.each(dialects)('limits on running and editing entries on %s', async (dialect) => {
  const { box, target, ada, adaUser, create, read } = await keepaliveScene(dialect)
  beforeEach(() => box.pass(minutes(1)))

  const boss = box.as(await box.createPerson('boss', 2))

  test('Run now is limited to six runs a minute per entry and sixty per user', async () => {
    const ids = await Promise.all(Array.from({ length: 11 }, async () => (await create('/200')).id))
    const run = (id = '') => ada.post(`/api/v1/keepalive/run?id=${id}`)
    for (const id of ids.slice(0, 10)) for (let time = 0; time < 6; time++) expect((await run(id)).status).toBe(202)
    expect(await run(ids[0])).toMatchObject({
      status: 429,
      body: { error: 'Too many runs of this entry. Try again in 60 seconds.' },
      headers: { 'retry-after': '60' },
    })
    expect(await run(ids[10])).toMatchObject({ status: 429, body: { error: expect.stringContaining('checks, tests') } })
    expect((await boss.post(`/api/v1/keepalive/run?id=${ids[10]}`)).status).toBe(202)
    box.pass(minutes(1))
    expect((await run(ids[0])).status).toBe(202)
  })

  test('a run rejected by the user’s limit does not count towards the entry’s limit', async () => {
    const ids = await Promise.all(Array.from({ length: 11 }, async () => (await create('/200')).id))
    const run = (who: typeof ada, id = '') => who.post(`/api/v1/keepalive/run?id=${id}`)
    const [last, ...others] = ids
    for (const id of others) for (let time = 0; time < 6; time++) box.context.visitLimits.consumeRun(adaUser.id, id)
    for (let time = 0; time < 7; time++) expect((await run(ada, last)).status).toBe(429)
    for (let time = 0; time < 6; time++) expect((await run(boss, last)).status).toBe(202)
  })

  test('switching an entry off and on runs it immediately only within the limits of Run now', async () => {
    const { id } = await create('/200', { interval: 60 })
    await box.work.runDue()
    const begun = box.now()
    const toggle = async () => {
      await ada.patch('/api/v1/keepalive', { id, status: false })
      return (await ada.patch('/api/v1/keepalive', { id, status: true })).body.nextRunAt
    }
    for (let time = 0; time < 6; time++) {
      expect(await toggle()).toBe(box.now())
      await box.work.runDue()
    }
    expect(await toggle()).toBe(begun + minutes(30))
    expect((await ada.post(`/api/v1/keepalive/run?id=${id}`)).status).toBe(429)
    box.pass(minutes(1))
    expect(await toggle()).toBe(box.now())
  })

  test('a new interval set during a run counts from that run, which is recorded', async () => {
    let during = async () => {}
    target.on('/slow', async (_visit, response) => {
      await during()
      response.end()
    })
    const { id } = await create('/slow', { interval: 60 })
    await box.work.runDue()
    for (const interval of [10, 120, 1, 30]) {
      target.visits.length = 0
      during = async () => {
        during = async () => {}
        expect((await ada.patch('/api/v1/keepalive', { id, interval })).status).toBe(200)
      }
      box.pass((await read(id)).nextRunAt - box.now())
      await box.work.runDue()
      expect(target.visits).toHaveLength(1)
      expect(await read(id)).toMatchObject({
        nextRunAt: box.now() + minutes(interval),
        lastRun: { timestamp: box.now() },
      })
    }
    expect((await read(id)).history).toHaveLength(5)
  })

  test('changing the interval makes a run due immediately only within the limits of Run now', async () => {
    const { id } = await create('/200')
    const next = []
    for (let interval = 1; interval <= 7; interval++)
      next.push((await ada.patch('/api/v1/keepalive', { id, interval })).body.nextRunAt - box.now())
    expect(next).toEqual([0, 0, 0, 0, 0, 0, minutes(1)])
  })

  test('entries switched on beyond the user’s run limit run a minute later', async () => {
    const ids = []
    for (let n = 0; n < 4; n++) ids.push((await create('/200', { status: false })).id)
    for (let run = 0; run < 58; run++) box.context.visitLimits.consumeRun(adaUser.id, `another ${run}`)
    const next = []
    for (const id of ids) next.push((await ada.patch('/api/v1/keepalive', { id, status: true })).body.nextRunAt)
    expect(next.map((at) => at - box.now())).toEqual([0, 0, minutes(1), minutes(1)])
  })

  test('a user can save 300 new URLs a minute, and make other edits without limit', async () => {
    const { id } = await create('/200')
    for (let time = 1; time < 299; time++) box.context.visitLimits.consumeUrl(adaUser.id)
    expect((await ada.patch('/api/v1/keepalive', { id, url: `${target.origin}/200?new` })).status).toBe(200)
    const refused = { status: 429, body: { error: 'Too many new URLs. Try again in 60 seconds.' } }
    expect(await ada.patch('/api/v1/keepalive', { id, url: `${target.origin}/200` })).toMatchObject(refused)
    expect(await ada.post('/api/v1/keepalive/', { url: `${target.origin}/200` })).toMatchObject(refused)
    expect((await ada.patch('/api/v1/keepalive', { id, interval: 9 })).status).toBe(200)
  })

  test('a URL rejected without a request does not count towards the limit', async () => {
    for (let time = 0; time < 299; time++) box.context.visitLimits.consumeUrl(adaUser.id)
    for (let time = 0; time < 3; time++)
      expect((await ada.post('/api/v1/keepalive/', { url: `http://10.0.0.1/${time}` })).status).toBe(400)
    await create('/200')
  })
})
