import { beforeEach, describe, expect, test } from 'vitest'
import { bothDialects } from '../../../test/support/database/databases.ts'
import { createImportUser } from '../../../test/support/scenes/import-scene.ts'
import { keepaliveScene } from '../../../test/support/scenes/keepalive-scene.ts'
import type { Toolbox } from '../../../test/support/toolbox.ts'
import { isOfEntry } from '../../platform/jobs/job.ts'
import { jobs } from '../../platform/jobs/jobs.ts'
import { minutes, seconds } from '../../shared/time.ts'
import { delayLateBatches } from './run-batches.ts'

const bulk = '/api/v1/keepalive/bulk'
const progress = '/api/v1/user/progress'

describe.each(bothDialects)('a batch of runs on %s', async (dialect) => {
  const { box, target, adaUser, ada } = await keepaliveScene(dialect)
  beforeEach(() => {
    box.pass(minutes(1))
  })

  const urls = (count: number) => Array.from({ length: count }, (_, at) => `${target.origin}/200?n=${at}`).join('\n')
  const visits = async (by: Pick<Toolbox['work'], 'runDue'> = box.work) => {
    target.visits.length = 0
    await by.runDue()
    return target.visits.length
  }
  /** A user with paused entries, which run only on request. */
  const owner = async (count: number, roles = {}) => {
    const person = await createImportUser(box, roles)
    expect((await person.importFile(urls(count))).body).toMatchObject({ created: count, refused: [] })
    const ids = (await person.list()).map(({ id }) => id as string)
    await person.screen.post(bulk, { ids, act: 'pause' })
    return { ...person, ids, going: async () => (await person.screen.get(progress)).body }
  }
  const runs = () => box.db.q.selectFrom('job').select('due_at').where('kind', '=', 'now').execute()

  test('starts immediately within the limit of Run now, otherwise at one run a second with progress', async () => {
    const { ids, screen, going } = await owner(61)
    expect((await screen.post(bulk, { ids: ids.slice(1), act: 'run' })).body).toEqual({
      done: ids.slice(1),
      unchanged: [],
      refused: [],
    })
    expect(await going()).toEqual([])
    expect((await runs()).map(({ due_at }) => due_at <= box.context.now())).toEqual(ids.slice(1).map(() => true))
    await box.db.q.deleteFrom('job').where('kind', '=', 'now').execute()
    box.pass(minutes(1))
    const started = (await screen.post(bulk, { ids, act: 'run' })).body
    expect(started).toEqual({ done: ids, unchanged: [], progress: expect.any(String), refused: [] })
    const first = { id: started.progress, kind: 'run', total: 61, done: 0, endsAt: box.context.now() + seconds(60) }
    expect(await going()).toEqual([first])
    expect(await visits()).toBe(1)
    box.pass(seconds(9))
    // Any instance can continue the batch.
    expect(await visits(box.secondWorker())).toBe(9)
    expect(await going()).toEqual([{ ...first, done: 10 }])

    // Entries that are still waiting run only once; those that have run start after them.
    const repeated = (await screen.post(bulk, { ids, act: 'run' })).body
    const second = { id: repeated.progress, kind: 'run', total: 10, done: 0, endsAt: first.endsAt + seconds(10) }
    expect(await going()).toEqual(expect.arrayContaining([{ ...first, done: 10 }, second]))

    const other = await createImportUser(box)
    expect((await other.screen.get(progress)).body).toEqual([])
    expect((await other.screen.delete(`${progress}?id=${first.id}`)).status).toBe(404)
    expect((await screen.delete(`${progress}?id=${first.id}`)).body).toEqual({ id: first.id })
    expect(await going()).toEqual([second])
    box.pass(seconds(61))
    expect(await visits()).toBe(10)
    expect(await going()).toEqual([])
  })

  test('continues at its rate after an outage instead of starting all late runs at once', async () => {
    const { ids, screen, going } = await owner(61)
    await screen.post(bulk, { ids, act: 'run' })
    expect(await visits()).toBe(1)
    box.pass(minutes(10))
    expect(await visits()).toBe(1)
    expect(await going()).toMatchObject([{ total: 61, done: 2, endsAt: box.context.now() + seconds(59) }])
    box.pass(seconds(20))
    expect(await visits(box.secondWorker())).toBe(20)
    for (const next of [20, 19]) {
      box.pass(seconds(next))
      expect(await visits()).toBe(next)
    }
    expect(await going()).toEqual([])
  })

  test('is delayed only once after an outage if two instances continue it', async () => {
    const { ids, screen, going } = await owner(61)
    await screen.post(bulk, { ids, act: 'run' })
    box.pass(minutes(10))
    const { db, now } = box.context
    const claimed = [box.context.jobs, jobs(db, 'another instance', now)].map(({ claim }) =>
      claim(now(), minutes(1), 20),
    )
    const [ours = [], theirs = []] = (await Promise.all(claimed)).map((batch) => batch.filter(isOfEntry))
    expect([ours.length, theirs.length]).toEqual([20, 20])
    await Promise.all([delayLateBatches(box.context, ours), delayLateBatches(box.context, theirs)])
    const [{ endsAt }] = await going()
    expect(endsAt).toBeGreaterThan(now())
    expect(endsAt).toBeLessThanOrEqual(now() + seconds(60))
    await box.db.q.deleteFrom('job').execute()
  })

  test('does not block other requests while thousands of runs are dropped', async () => {
    const { id, ids, screen, going } = await owner(1)
    const payload = JSON.stringify({ id: 'many', userId: id, kind: 'run', total: 3_000 })
    const at = box.context.now() + minutes(1)
    const planned = Array.from({ length: 3_000 }, (_, n) => ({
      id: `many ${n}`,
      kind: 'now',
      entryId: ids[0] ?? '',
      dueAt: at + n,
    }))
    await box.context.jobs.add(planned)
    await box.db.q.updateTable('job').set({ payload }).where('id', 'like', 'many %').execute()
    let isStopped = false
    const stopping = screen.delete(`${progress}?id=many`).then(() => {
      isStopped = true
    })
    let looks = 0
    while (!isStopped) {
      await going()
      looks += 1
    }
    await stopping
    expect(looks).toBeGreaterThan(3)
    expect(await going()).toEqual([])
    expect(await runs()).toEqual([])
  })

  test('ends when the user who started it loses access to the tools', async () => {
    const { id, ids, screen } = await owner(61)
    await screen.post(bulk, { ids, act: 'run' })
    await box.db.q.updateTable('users').set({ roles: '{"Tools":0,"Admin":0}' }).where('id', '=', id).execute()
    box.pass(seconds(5))
    expect(await visits()).toBe(0)
    expect(await runs()).toEqual([])
    expect((await screen.get(progress)).status).toBe(403)
  })

  test('starts a waiting entry immediately on Run now, also for its new owner', async () => {
    const run = '/api/v1/keepalive/run'
    const chief = await owner(62, { Tools: 2 })
    await chief.screen.post(bulk, { ids: chief.ids, act: 'run' })
    expect(await visits()).toBe(1)
    await chief.screen.post(`${run}?id=${chief.ids[60]}`)
    expect(await visits()).toBe(1)
    expect(await chief.going()).toMatchObject([{ total: 62, done: 2 }])
    const givenId = chief.ids[61]
    await chief.screen.post(bulk, { ids: [givenId], act: 'give', owner: adaUser.email })
    await box.db.q.updateTable('users').set({ roles: '{"Tools":1,"Admin":0}' }).where('id', '=', chief.id).execute()
    await ada.post(bulk, { ids: [givenId], act: 'run' })
    expect(await visits()).toBe(1)
  })

  test('of an import starts at 300 a minute; once stopped, the entries wait for their next turn', async () => {
    const { importFile, screen, list } = await createImportUser(box)
    const going = async () => (await screen.get(progress)).body
    expect((await importFile(urls(301))).body).toMatchObject({ created: 301, refused: [] })
    const begun = box.context.now()
    const batch = { id: expect.any(String), kind: 'import', total: 301, done: 0, endsAt: begun + minutes(1) }
    expect(await going()).toEqual([batch])
    box.pass(seconds(2))
    expect(await visits()).toBe(11)
    const entry = await box.db.q
      .selectFrom('job')
      .select('entry_id as id')
      .where('kind', '=', 'turn')
      .where('due_at', '>', box.now())
      .orderBy('due_at')
      .executeTakeFirstOrThrow()
    const boss = box.as(await box.createPerson('boss', 2))
    expect((await boss.patch('/api/v1/keepalive', { ...entry, owner: adaUser.email })).status).toBe(200)
    box.pass(seconds(0.2))
    expect(await visits()).toBe(1)
    const [{ id, done }] = await going()
    expect(done).toBe(12)
    expect((await screen.delete(`${progress}?id=${id}`)).status).toBe(200)
    expect(await going()).toEqual([])
    box.pass(minutes(2))
    expect(await visits()).toBe(0)
    const entries = (await list()) as { nextRunAt: number }[]
    expect(entries).toHaveLength(300)
    expect(Math.max(...entries.map(({ nextRunAt }) => nextRunAt))).toBe(begun + minutes(1) + minutes(28))
  })
})
