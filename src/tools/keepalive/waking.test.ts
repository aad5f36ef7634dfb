import { beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { hostScene } from '../../../test/support/scenes/keepalive-scene.ts'
import type { Toolbox } from '../../../test/support/toolbox.ts'
import { minutes, seconds } from '../../shared/time.ts'

describe.each(dialects)('an app that wakes up, on %s', async (dialect) => {
  let work: Toolbox['work']

  const { box, target: web, ada, read, createAt, urlAt } = await hostScene(dialect)
  beforeEach(() => {
    web.on('/', { body: 'awake' })
    work = box.work
  })
  const visits = () => web.visits.filter(({ path }) => path === '/').length
  const pass = async (ms: number) => {
    box.pass(ms)
    await work.runDue()
  }
  /** Creates an entry that has run once; returns its id. */
  async function created(host: string, more: object = {}): Promise<string> {
    const { id } = await createAt(host, { interval: 10, ...more })
    await pass(seconds(1))
    web.visits.length = 0
    return id
  }

  test('is retried every 10 s for as long as its host needs, as one run, without blocking others', async () => {
    const id = await created('app.onrender.com')
    web.on('/', { status: 502 })
    await pass(minutes(10) - seconds(1))
    await pass(seconds(10))
    await pass(seconds(10))
    expect(visits()).toBe(3)
    // The server stops or is killed during an attempt, and another one continues from there.
    await box.context.jobs.claim(box.now() + seconds(10), 0, 5)
    work = box.secondWorker()
    web.on('/other', { body: 'fine' })
    await createAt('', { url: urlAt('other.example.org', '/other') })
    await work.runDue()
    expect(web.visits.at(-1)).toMatchObject({ path: '/other' })
    expect((await read(id)).history).toHaveLength(1)
    web.on('/', { body: 'awake' })
    await pass(seconds(10))
    expect(visits()).toBe(4)
    const { history, nextRunAt } = await read(id)
    expect(history).toMatchObject([{ success: true }, { success: true }])
    expect(nextRunAt).toBe(box.now() - seconds(30) + minutes(10))
  })

  test('fails if it has not started in that time, and is then checked again like any other', async () => {
    const id = await created('app.onrender.com')
    web.on('/', { status: 503 })
    await pass(minutes(10) - seconds(1))
    for (let step = 0; step < 6; step++) {
      expect((await read(id)).history).toHaveLength(1)
      await pass(seconds(10))
    }
    expect(visits()).toBe(7)
    expect((await read(id)).history).toMatchObject([{ success: false, note: 'answered 503' }, { success: true }])
    await pass(minutes(1))
    expect(visits()).toBe(8)
    expect((await read(id)).history).toHaveLength(3)
  })

  test('is not waited for if its host is unknown, if it fails in another way, or in a manual run', async () => {
    const own = await created('shop.example.org')
    const sleeper = await created('app.onrender.com', { interval: 2 })
    web.on('/', { status: 503 })
    await ada.post(`/api/v1/keepalive/run?id=${sleeper}`)
    await work.runDue()
    expect((await read(sleeper)).history).toMatchObject([{ success: false }, { success: true }])
    await ada.delete(`/api/v1/keepalive?id=${sleeper}`)
    await pass(minutes(10))
    await pass(seconds(10))
    expect((await read(own)).history).toMatchObject([{ success: false }, { success: true }])
    await ada.delete(`/api/v1/keepalive?id=${own}`)
    web.on('/', { body: 'awake' })
    const broken = await created('app.onrender.com')
    web.on('/', { status: 500 })
    await pass(minutes(10))
    expect((await read(broken)).history).toMatchObject([{ success: false, note: 'answered 500' }, { success: true }])
  })
})
