import { execFileSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { bothDialects } from '../../test/support/database/databases.ts'
import { type Toolbox, toolbox } from '../../test/support/toolbox.ts'
import { hours, seconds } from '../shared/time.ts'
import { createMetrics } from './metrics.ts'

test('a metric that cannot be read does not affect the others', async () => {
  const metrics = createMetrics()
  metrics.add(
    { name: 'gone', help: 'Fails.', read: () => Promise.reject(new Error('away')) },
    { name: 'there', help: 'Works.', label: 'of', read: () => [{ labels: { of: 'a' }, value: 2 }, { value: 3 }] },
  )
  const text = await metrics.text()
  expect(text).toContain('# TYPE gone gauge\n\n# HELP there Works.\n# TYPE there gauge\nthere{of="a"} 2\nthere 3\n')
  expect(text).toMatch(/\nprocess_cpu_seconds_total \d/)
})

/** Runs a script that uses `metrics` in a separate process. Returns its output. */
function withMetrics(script: string): string {
  const metrics = JSON.stringify(new URL('metrics.ts', import.meta.url).href)
  const whole = `import { createMetrics } from ${metrics}
    await new Promise((resolve) => setTimeout(resolve))
    const metrics = createMetrics()
    ${script}`
  return execFileSync(process.execPath, ['--input-type=module', '-e', whole], { encoding: 'utf8' })
}

test('metrics do not wake an idle process between scrapes', () => {
  const turns = withMetrics(`
    const count = () => performance.nodeTiming.uvMetricsInfo.loopCount
    const before = count()
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    console.log(count() - before)`)
  expect(Number(turns)).toBeLessThan(10)
})

test('the longest event loop delay is reported once, then reset', () => {
  const [blocked = '', after = ''] = withMetrics(`
    const told = async () => Number(/^nodejs_eventloop_lag_max_seconds (.+)$/m.exec(await metrics.text())?.[1])
    const turn = () => new Promise((resolve) => setTimeout(resolve))
    const began = performance.now()
    setTimeout(() => { while (performance.now() < began + 500); })
    await turn()
    await turn()
    const blocked = await told()
    let after = blocked
    // On a busy machine, a later turn may be just as slow.
    for (let turns = 0; turns < 20 && after >= blocked; turns += 1) {
      await turn()
      after = await told()
    }
    console.log(blocked, after)`).split(' ')
  expect(Number(blocked)).toBeGreaterThan(0.4)
  expect(Number(after)).toBeLessThan(Number(blocked))
})

describe.each(bothDialects)('on %s', (dialect) => {
  let box: Toolbox
  beforeEach(async () => {
    box = await toolbox(dialect)
  })
  afterEach(() => box.close())

  const samples = async (prefix: string) => {
    // Without real timers, slow reads never exceed the time limit.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const text = await box.context.metrics.text().finally(() => vi.useRealTimers())
    const lines = text.split('\n').filter((line) => line.startsWith(prefix))
    return Object.fromEntries(
      lines.map((line) => line.split(/ (?=\S+$)/)).map(([name, value]) => [name, Number(value)]),
    )
  }

  test('counts due and late jobs by kind and lanes by state, at most every five seconds', async () => {
    const { jobs } = box.context
    const at = box.now()
    const job = (id: string, late: number, more: object = {}) => ({
      id,
      kind: 'turn',
      entryId: null,
      dueAt: at - late,
      ...more,
    })
    const lane = (id: string, lane: string, late: number) => job(id, late, { kind: 'message', lane })
    await jobs.add([
      job('just due', 0),
      job('late', seconds(20)),
      job('tomorrow', -hours(24)),
      lane('head', 'sent now', seconds(30)),
      lane('behind', 'sent now', seconds(25)),
      lane('tried again', 'limited', -seconds(5)),
    ])
    expect(await samples('toolbox_jobs_')).toMatchObject({
      'toolbox_jobs_due{kind="turn"}': 2,
      'toolbox_jobs_due{kind="message"}': 1,
      'toolbox_jobs_late{kind="turn"}': 1,
      'toolbox_jobs_late{kind="message"}': 1,
      toolbox_jobs_oldest_due_seconds: 30,
    })
    const lanes = (busy: number, due: number, waiting: number) => ({
      'toolbox_lanes{state="busy"}': busy,
      'toolbox_lanes{state="due"}': due,
      'toolbox_lanes{state="waiting"}': waiting,
    })
    expect(await samples('toolbox_lanes')).toEqual(lanes(0, 1, 1))
    await jobs.claim(at, seconds(40), 10)
    expect(await samples('toolbox_lanes')).toEqual(lanes(0, 1, 1))
    box.pass(seconds(5))
    expect(await samples('toolbox_lanes')).toEqual(lanes(1, 1, 0))
    expect(await samples('toolbox_jobs_due')).toEqual({
      'toolbox_jobs_due{kind="turn"}': 0,
      'toolbox_jobs_due{kind="message"}': 1,
    })
  })

  test('times statements by kind, and reports the size and load of the database', async () => {
    const counts = () => samples('toolbox_database_statement_seconds_count')
    const name = (kind: string) => `toolbox_database_statement_seconds_count{kind="${kind}"}`
    // The first read also queries the size, which is cached from then on.
    await counts()
    const before = await counts()
    const { q } = box.db
    await q.selectFrom('setting').selectAll().execute()
    await q.insertInto('setting').values({ key: 'a', value: '' }).execute()
    await q.transaction().execute((tx) => tx.deleteFrom('setting').where('key', '=', 'a').execute())
    await expect(q.transaction().execute(() => Promise.reject(new Error('undone')))).rejects.toThrow('undone')
    const after = await counts()
    const more = (kind: string) => after[name(kind)]! - before[name(kind)]!
    // On a slow machine the cached size expires and is queried again.
    expect(more('read')).toBeGreaterThanOrEqual(1)
    expect([more('write'), more('commit')]).toEqual([2, 1])
    const { toolbox_database_size_bytes: size, ...rest } = await samples('toolbox_database_')
    expect(size).toBeGreaterThan(100_000)
    expect(rest).toMatchObject({ toolbox_database_failing: 0, toolbox_database_waiting: 0 })
    const own = { sqlite: 'toolbox_database_free_bytes', postgres: 'toolbox_database_connections{state="idle"}' }
    expect(rest[own[dialect]]).toBeGreaterThan(0)
  })

  test('counts runs by tool and outcome, starting at 0, and sums up how late they started', async () => {
    const person = box.as(await box.createPerson('ada'))
    expect(await samples('toolbox_runs_total')).toMatchObject({
      'toolbox_runs_total{tool="keepalive",outcome="success"}': 0,
      'toolbox_runs_total{tool="keepalive",outcome="failure"}': 0,
    })
    await person.post('/api/v1/keepalive', { url: 'http://127.0.0.1:9/' })
    box.pass(seconds(2))
    await box.work.runDue()
    expect(await samples('toolbox_runs_total{tool="keepalive"')).toEqual({
      'toolbox_runs_total{tool="keepalive",outcome="success"}': 0,
      'toolbox_runs_total{tool="keepalive",outcome="failure"}': 1,
    })
    expect(await samples('toolbox_job_lateness_seconds_sum')).toEqual({
      'toolbox_job_lateness_seconds_sum{kind="turn"}': 2,
    })
    expect(await samples('toolbox_jobs_in_flight')).toEqual({ 'toolbox_jobs_in_flight{kind="turn"}': 0 })
  })
})
