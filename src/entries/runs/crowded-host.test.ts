import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { bothDialects } from '../../../test/support/database/databases.ts'
import { keepaliveScene } from '../../../test/support/scenes/keepalive-scene.ts'
import { minutes } from '../../shared/time.ts'

const entries = 40

describe.each(bothDialects)('a host with more entries than it serves, on %s', async (dialect) => {
  const { box, target, ada, create, read } = await keepaliveScene(dialect)

  const waitingOf = async () =>
    (await ada.get('/api/v1/keepalive/list')).body.filter(
      (entry: { waitingSince: number | null }) => entry.waitingSince,
    )

  test('says of each that waits since when, records no run of it, and takes every one in turn', async () => {
    for (let i = 0; i < entries; i++) {
      await create(`/200?entry=${i}`, { interval: 1 })
      box.pass(1)
    }
    const created = box.now()
    await box.work.runDue()
    const waiting = await waitingOf()
    // Two at once and twenty behind them; the others found no place.
    expect(waiting).toHaveLength(entries - 22)
    const { id } = waiting[0]
    expect(await read(id)).toMatchObject({ waitingSince: created, history: [], lastRun: null })
    expect(await box.context.metrics.text()).toContain(`toolbox_turns_waiting_total{kind="turn"} ${entries - 2}`)
    box.pass(minutes(1) - 1_000)
    const restarted = box.secondWorker()
    await restarted.runDue()
    expect(await waitingOf()).toEqual([])
    expect(new Set(target.visits.map((visit) => visit.path)).size).toBe(entries)
    // Nobody has had two turns before everybody has had one.
    expect(target.visits).toHaveLength(entries)
  })

  test('plans them for whole milliseconds, so that all are listed and read, and run when a place is free', async () => {
    const ids = []
    for (let i = 0; i < 60; i++) ids.push((await create(`/200?whole=${i}`, { interval: 1 })).id)
    let fraction = 0
    const elapsed = () => {
      fraction += 0.003
      return box.context.elapsed() + fraction
    }
    const work = box.secondWorker({ elapsed })
    // What lies in the database since it was not rounded; PostgreSQL has never taken it.
    if (dialect === 'sqlite') await sql`update job set due_at = due_at - 0.3, free_at = free_at - 0.3`.execute(box.db.q)
    await work.runDue()
    expect(await waitingOf()).toHaveLength(60 - 22)
    const { rows } = await sql<{ due: number }>`select due_at as due from job`.execute(box.db.q)
    expect(rows.filter(({ due }) => !Number.isSafeInteger(due))).toEqual([])
    expect((await ada.get('/api/v1/keepalive/list')).body).toHaveLength(60)
    for (const id of ids) expect(await read(id)).toMatchObject({ id, nextRunAt: expect.any(Number) })
    for (let minute = 0; minute < 3; minute++) {
      box.pass(minutes(1))
      await work.runDue()
    }
    expect(new Set(target.visits.map((visit) => visit.path)).size).toBe(60)
  })

  test('an entry that is run while its turn waits is visited once, and its turn is told to wait', async () => {
    for (let i = 0; i < 23; i++) await create(`/200?entry=${i}`, { interval: 1 })
    await box.work.runDue()
    const [{ id, url, waitingSince }] = await waitingOf()
    const run = await ada.post(`/api/v1/keepalive/run?id=${id}`)
    expect(run).toMatchObject({ status: 202, body: { id, waitingSince } })
    box.pass(minutes(1) - 1_000)
    await box.work.runDue()
    expect(target.visits.filter((visit) => url.endsWith(visit.path))).toHaveLength(1)
  })

  test('an entry that is run while its turn is under way is visited once', async () => {
    const { id } = await create('/200')
    const [turn] = await box.context.jobs.claim(box.now(), minutes(1), 1)
    expect((await ada.post(`/api/v1/keepalive/run?id=${id}`)).body).toEqual({ id, waitingSince: null })
    const left = await box.db.q.selectFrom('job').select('id').where('entry_id', '=', id).execute()
    expect(left).toEqual([{ id: turn?.id }])
  })
})
