import { describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { lottery } from '../../../../test/support/fakes/fake-sleepers.ts'
import { actScene, path } from '../../../../test/support/scenes/act-scene.ts'
import type { Run } from '../../../entries/contract.ts'
import { days, hours, minutes, seconds } from '../../../shared/time.ts'
import { nextGap, sleepOf } from './sleep.ts'

type Host = { sleepsAfter: number; awake: () => number; coldStart: () => number }

/** Simulates runs of an app with these gaps in minutes, until `gapAfter` returns none; the newest run comes first. */
function runsOf(
  { sleepsAfter, awake, coldStart }: Host,
  gapAfter: (runs: readonly Run[]) => number | undefined,
): Run[] {
  let runs: Run[] = []
  let at = 0
  for (let gap: number | undefined = 1_000; gap !== undefined; gap = gapAfter(runs)) {
    at += minutes(gap)
    const duration = Math.round(gap > sleepsAfter ? coldStart() : awake())
    runs = [{ success: true, timestamp: at, duration, status: 200 }, ...runs]
    at += duration
  }
  return runs
}

test('finds each of 200 random idle times to the minute, after waking the app at most 8 times', () => {
  const random = lottery(5)
  for (let n = 0; n < 200; n++) {
    const sleepsAfter = 5 + random() * 115
    const host = { sleepsAfter, awake: () => 80 + random() * 400, coldStart: () => 3_100 + random() * 50_000 }
    const { asleepAfter, awakeAfter, wakings, suggestion } = sleepOf(runsOf(host, nextGap), 1_440)
    expect(Math.abs((asleepAfter ?? 0) - sleepsAfter), String(sleepsAfter)).toBeLessThanOrEqual(1)
    expect([awakeAfter, suggestion]).toEqual([(asleepAfter ?? 0) - 1, awakeAfter])
    // Plus one for the first response, before which the idle time is unknown.
    expect(wakings + 1).toBeLessThanOrEqual(8)
  }
})

test.each([
  ['never sleeps', () => Number.POSITIVE_INFINITY],
  ['sleeps', (random: () => number) => 5 + random() * 115],
])('a noisy host that %s gets no wrong suggestion, 200 times', (_, hidden) => {
  const random = lottery(7)
  for (let n = 0; n < 200; n++) {
    const sleepsAfter = hidden(random)
    const awake = () => 100 + random() * 3_900
    const host = { sleepsAfter, awake, coldStart: () => awake() + 3_000 + random() * 30_000 }
    const { suggestion } = sleepOf(runsOf(host, nextGap), 28)
    if (suggestion !== null) expect(Math.abs(suggestion - sleepsAfter)).toBeLessThanOrEqual(1)
    // The same applies to regular runs, some of which are late.
    const usual = runsOf({ ...host, sleepsAfter: Number.POSITIVE_INFINITY }, ({ length }) =>
      length < 200 ? 28 + (random() > 0.95 ? random() * 200 : 0) : undefined,
    )
    expect(sleepOf(usual, 28).suggestion).toBeNull()
  }
})

test('a cold start among usual runs shows the idle time, until a later run contradicts it', () => {
  const run = (at: number, duration: number, more: Partial<Run> = {}): Run => ({
    ...{ success: true, timestamp: minutes(at), duration, status: 200 },
    ...more,
  })
  const usual = Array.from({ length: 30 }, (_, n) => run(n * 14, 200))
  const cold = [...usual, run(29 * 14 + 21, 9_000)]
  const newestFirst = (runs: Run[]) => runs.toReversed()
  expect(sleepOf(newestFirst(cold), 30)).toEqual({ asleepAfter: 21, awakeAfter: 14, wakings: 1, suggestion: 14 })
  const refused = [...usual, run(29 * 14 + 21, 90, { success: false, status: 503 })]
  expect(sleepOf(newestFirst(refused), 30)).toMatchObject({ asleepAfter: 21, awakeAfter: 14 })
  const down = [...refused, run(29 * 14 + 35, 90, { success: false, status: 503 })]
  expect(sleepOf(newestFirst(down), 30)).toMatchObject({ asleepAfter: null, suggestion: null })
  const visited = [...cold, run(29 * 14 + 21 + 40, 200)]
  expect(sleepOf(newestFirst(visited), 30)).toMatchObject({ asleepAfter: null, awakeAfter: null, suggestion: null })
  expect(sleepOf([], 30)).toEqual({ asleepAfter: null, awakeAfter: null, wakings: 0, suggestion: null })
})

describe.each(dialects)('finding out when an app sleeps, on %s', async (dialect) => {
  const { box, ada, adaUser, runDue, serve, pass, create, read } = await actScene(dialect)

  const sleep = async (id: string) => (await ada.get(`${path}/sleep?id=${id}`)).body
  const runNow = (id: string) => ada.post(`${path}/run?id=${id}`)
  /** Starts the search for an app that is always awake. */
  async function search(hooks?: Parameters<typeof serve>[1]) {
    const { port, requests } = await serve({ answer: () => ({ status: 200 }) }, hooks)
    const { id } = await create({ url: `http://app.test:${port}/`, interval: 1_440 })
    await ada.post(`${path}/sleep?id=${id}`)
    return { id, requests }
  }

  test('the idle time of an unknown app is found by runs with growing gaps', async () => {
    let visitedAt = box.now()
    const hidden = minutes(21.5)
    const { port, requests } = await serve({
      answer() {
        const sleeps = box.now() - visitedAt > hidden
        visitedAt = box.now()
        return { status: sleeps ? 503 : 200 }
      },
    })
    const { id } = await create({ url: `http://app.test:${port}/`, interval: 60 })
    expect(await sleep(id)).toMatchObject({ asleepAfter: null, suggestion: null, until: null })
    const began = await ada.post(`${path}/sleep?id=${id}`)
    expect(began).toMatchObject({ status: 202, body: { until: box.now() + days(1) } })
    await runDue()
    for (let minute = 0; minute < 600 && (await sleep(id)).until !== null; minute++) await pass(minutes(1))
    const { wakings, ...found } = await sleep(id)
    expect(found).toEqual({ asleepAfter: 22, awakeAfter: 21, suggestion: 21, until: null })
    expect(wakings).toBeLessThanOrEqual(8)
    expect(await read(id)).toMatchObject({ health: 'ok', interval: 60 })
    const before = requests.length
    await pass(minutes(59))
    expect(requests.length - before).toBeLessThanOrEqual(1)
    await ada.patch(path, { id, status: false })
    expect((await ada.post(`${path}/sleep?id=${id}`)).status).toBe(409)
  })

  test('the entry can be run immediately while the search for its idle time is running', async () => {
    const { id, requests } = await search()
    await pass(seconds(1))
    const before = requests.length
    await runNow(id)
    await pass(seconds(1))
    expect(requests.length - before).toBe(1)
    expect((await sleep(id)).until).not.toBeNull()
  })

  test('the search ends when its next request comes due while the owner is inactive', async () => {
    const { id, requests } = await search()
    await pass(seconds(1))
    const setOwnerStatus = (status: 1 | 2) =>
      box.db.q.updateTable('users').set({ status }).where('id', '=', adaUser.id).execute()
    await setOwnerStatus(1)
    await pass(minutes(10))
    await setOwnerStatus(2)
    expect((await sleep(id)).until).toBeNull()
    const before = requests.length
    await runNow(id)
    expect((await sleep(id)).until).toBeNull()
    await pass(hours(3))
    expect(requests.length).toBe(before + 1)
    expect((await sleep(id)).until).toBeNull()
  })

  test("switching the entry off during one of the search's requests still records that run", async () => {
    let id = ''
    let isSwitchedOff = false
    const onRequest = async () => {
      box.pass(500)
      if (isSwitchedOff) await ada.patch(path, { id, status: false })
    }
    id = (await search({ onRequest })).id
    const before = (await read(id)).history.length
    isSwitchedOff = true
    await pass(seconds(1))
    const { status, history } = await read(id)
    expect([status, history.length]).toEqual([false, before + 1])
    await pass(hours(3))
    expect((await read(id)).history).toHaveLength(before + 1)
  })

  test('switching the entry off ends the search, and the entry can still be run', async () => {
    const { id, requests } = await search()
    for (let minute = 0; minute < 20; minute++) await pass(minutes(1))
    await ada.patch(path, { id, status: false })
    const before = requests.length
    await pass(hours(3))
    expect(requests.length).toBe(before)
    await runNow(id)
    await pass(hours(3))
    expect(requests.length).toBe(before + 1)
    await ada.patch(path, { id, status: true })
    await runNow(id)
    await pass(seconds(1))
    expect((await sleep(id)).until).toBeNull()
  })
})
