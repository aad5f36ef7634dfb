import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { bothDialects } from '../../../test/support/database/databases.ts'
import { keepaliveScene } from '../../../test/support/scenes/keepalive-scene.ts'
import { minutes } from '../../shared/time.ts'

const entries = 40

describe.each(bothDialects)('a host with more entries than may run at once, on %s', async (dialect) => {
  const { box, target, ada, create, read } = await keepaliveScene(dialect)

  const waitingOf = async () =>
    (await ada.get('/api/v1/keepalive/list')).body.filter(
      (entry: { waitingSince: number | null }) => entry.waitingSince,
    )

  test('shows since when each entry waits, records no run for it, and gives every entry its turn', async () => {
    for (let i = 0; i < entries; i++) {
      await create(`/200?entry=${i}`, { interval: 1 })
      box.pass(1)
    }
    const created = box.now()
    await box.work.runDue()
    const waiting = await waitingOf()
    // Two run and twenty queue behind them; the others found no free slot.
    expect(waiting).toHaveLength(entries - 22)
    const { id } = waiting[0]
    expect(await read(id)).toMatchObject({ waitingSince: created, history: [], lastRun: null })
    expect(await box.context.metrics.text()).toContain(`toolbox_turns_waiting_total{kind="turn"} ${entries - 2}`)
    box.pass(minutes(1) - 1_000)
    const restarted = box.secondWorker()
    await restarted.runDue()
    expect(await waitingOf()).toEqual([])
    expect(new Set(target.visits.map((visit) => visit.path)).size).toBe(entries)
    // No entry has run twice before every entry has run once.
    expect(target.visits).toHaveLength(entries)
  })

  test('plans waiting turns for whole milliseconds, so that their entries can be read and run later', async () => {
    const ids = []
    for (let i = 0; i < 60; i++) ids.push((await create(`/200?whole=${i}`, { interval: 1 })).id)
    let fraction = 0
    const elapsed = () => {
      fraction += 0.003
      return box.context.elapsed() + fraction
    }
    const work = box.secondWorker({ elapsed })
    // Older versions stored fractions of a millisecond in SQLite; PostgreSQL never accepted them.
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

  test('Run now on an entry whose turn is waiting returns waitingSince and adds no second run', async () => {
    for (let i = 0; i < 23; i++) await create(`/200?entry=${i}`, { interval: 1 })
    await box.work.runDue()
    const [{ id, url, waitingSince }] = await waitingOf()
    const run = await ada.post(`/api/v1/keepalive/run?id=${id}`)
    expect(run).toMatchObject({ status: 202, body: { id, waitingSince } })
    box.pass(minutes(1) - 1_000)
    await box.work.runDue()
    expect(target.visits.filter((visit) => url.endsWith(visit.path))).toHaveLength(1)
  })

  test('Run now on an entry whose turn is running adds no second run', async () => {
    const { id } = await create('/200')
    const [turn] = await box.context.jobs.claim(box.now(), minutes(1), 1)
    expect((await ada.post(`/api/v1/keepalive/run?id=${id}`)).body).toEqual({ id, waitingSince: null })
    const remaining = await box.db.q.selectFrom('job').select('id').where('entry_id', '=', id).execute()
    expect(remaining).toEqual([{ id: turn?.id }])
  })
})
