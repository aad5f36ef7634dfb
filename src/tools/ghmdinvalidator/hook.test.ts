import { describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { base, ghmdScene } from '../../../test/support/scenes/ghmd-scene.ts'
import { hours, minutes, seconds } from '../../shared/time.ts'

describe.each(dialects)('the hook of a page on %s', async (dialect) => {
  const { github, box, ada, create, read, origin, path } = await ghmdScene(dialect)

  /** Creates an entry whose first run was an hour ago, and a new image on its page since. */
  const ready = async () => {
    const at = path()
    const { id, hookUrl } = await create(github.page(at, []))
    await box.work.runDue()
    box.pass(hours(1))
    github.page(at, [github.image(origin('release'))])
    return { id, hook: new URL(hookUrl).pathname }
  }
  const post = async (url: string, more: object = {}) => {
    const answer = await box.app.inject({ method: 'POST', url, ...more })
    return { status: answer.statusCode, body: answer.json() }
  }
  const history = async (id: string) => (await read(id)).history

  test('starts a run immediately, without a session, and returns its time', async () => {
    const { id, hook } = await ready()
    expect(await post(hook)).toEqual({ status: 202, body: { at: box.now() } })
    await box.work.runDue()
    expect(github.purges()).toHaveLength(1)
    expect(await history(id)).toMatchObject([{ success: true, status: 1 }, { status: 0 }])
  })

  test.each([
    ['JSON', { payload: { action: 'published' } }],
    ['broken JSON', { payload: '{"action":', headers: { 'content-type': 'application/json' } }],
    ['a form', { payload: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['bytes', { payload: Buffer.from([0, 255, 128]), headers: { 'content-type': 'application/octet-stream' } }],
    ['a kind nobody knows', { payload: 'x', headers: { 'content-type': 'nonsense' } }],
    ['another site’s origin', { headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } }],
  ])('accepts %s and ignores it', async (_what, more) => {
    const { hook } = await ready()
    expect((await post(hook, more)).status).toBe(202)
  })

  test('answers 413 to more than 256 KB, and 404 to an unknown token or another method', async () => {
    const { hook } = await ready()
    expect((await post(hook, { payload: 'x'.repeat(256 * 1_024 + 1) })).status).toBe(413)
    expect((await post(hook, { payload: 'x'.repeat(256 * 1_024) })).status).toBe(202)
    for (const token of ['unknown', 'x'.repeat(400), '%00', `${hook.split('/').at(-1)}x`])
      expect(await post(`/hooks/ghmd/${token}`)).toEqual({ status: 404, body: { error: 'Hook not found.' } })
    expect((await box.app.inject({ url: hook })).statusCode).toBe(404)
  })

  test('starts at most one run a minute, and never loses the last call', async () => {
    const { id, hook } = await ready()
    const first = box.now()
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(hook)))
    expect(answers).toEqual(Array(5).fill({ status: 202, body: { at: first } }))
    await box.work.runDue()
    box.pass(seconds(20))
    expect((await post(hook)).body).toEqual({ at: first + minutes(1) })
    box.pass(seconds(20))
    expect((await post(hook)).body).toEqual({ at: first + minutes(1) })
    await box.work.runDue()
    expect(await history(id)).toHaveLength(2)
    box.pass(seconds(20))
    await box.work.runDue()
    expect(await history(id)).toHaveLength(3)
    expect(await box.db.q.selectFrom('job').select('kind').execute()).toEqual([{ kind: 'turn' }])
  })

  test('plans another run when it is called during a run', async () => {
    const { id, hook } = await ready()
    await post(hook)
    const [job] = await box.context.jobs.claim(box.now(), minutes(1), 1)
    expect(job?.id).toMatch(/^hook:/)
    expect((await post(hook)).body).toEqual({ at: box.now() + minutes(1) })
    expect((await post(hook)).body).toEqual({ at: box.now() + minutes(1) })
    await box.context.jobs.release(box.now())
    await box.work.runDue()
    box.pass(minutes(1))
    await box.work.runDue()
    expect(await history(id)).toHaveLength(3)
  })

  test('starts no run for an inactive entry or a paused owner, and returns null', async () => {
    const { id, hook } = await ready()
    await ada.patch(base, { id, status: false })
    expect(await post(hook)).toEqual({ status: 202, body: { at: null } })
    await ada.patch(base, { id, status: true })
    const owner = box.db.q.updateTable('users').where('email', '=', 'ada@example.com')
    await owner.set({ status: 1 }).execute()
    expect(await post(hook)).toEqual({ status: 202, body: { at: null } })
    await owner.set({ status: 2 }).execute()
    expect(await box.db.q.selectFrom('job').select('kind').execute()).toEqual([{ kind: 'turn' }])
  })

  test('gets a new URL when renewed, and the old one stops working immediately', async () => {
    const { id, hookUrl } = await create(github.page(path(), []))
    const statusOf = async (url: string) => (await post(new URL(url).pathname)).status
    expect(await statusOf(hookUrl)).toBe(202)
    const renewed = await ada.post(`${base}/hook?id=${id}`)
    expect(renewed).toMatchObject({ status: 200, body: { hookUrl: expect.not.stringMatching(hookUrl) } })
    expect(await read(id)).toMatchObject({ hookUrl: renewed.body.hookUrl })
    expect(await statusOf(hookUrl)).toBe(404)
    expect(await statusOf(renewed.body.hookUrl)).toBe(202)
  })

  test('answers 404 once the entry is deleted', async () => {
    const { id, hook } = await ready()
    await ada.delete(`${base}?id=${id}`)
    expect((await post(hook)).status).toBe(404)
  })

  test('answers only 202 or 404 while its entry is changed or deleted', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, hook } = await ready()
      const beside = await Promise.all([
        post(hook),
        ada.patch(base, { id, status: true }),
        box.work.runDue(),
        post(hook),
        ada.delete(`${base}?id=${id}`),
        post(hook),
      ])
      const statuses = beside.flatMap((answer) => (typeof answer === 'number' ? [] : [answer.status]))
      expect(statuses.filter((status) => ![200, 202, 404].includes(status))).toEqual([])
    }
  })
})
