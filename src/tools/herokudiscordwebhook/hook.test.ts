import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { dialects, racingDialects } from '../../../test/support/database/databases.ts'
import { deliveryScene } from '../../../test/support/scenes/relay/delivery-scene.ts'
import { payloadOf } from '../../../test/support/scenes/relay/example-events.ts'
import { release } from '../../../test/support/scenes/relay/relay.ts'
import { recordEvents } from '../../../test/support/toolbox.ts'
import { hours, minutes, seconds } from '../../shared/time.ts'
import { signatureOf } from './hook.ts'

describe.each(dialects)('the endpoint for Heroku on %s', async (dialect) => {
  const { box, hook, relay } = await deliveryScene(dialect)

  const post = async (path: string, payload: string, headers: Record<string, string> = {}) => {
    const answer = await box.app.inject({ method: 'POST', url: path, payload, headers })
    return { status: answer.statusCode, error: answer.body && answer.json().error }
  }
  const signed = (body: string) => ({ 'heroku-webhook-hmac-sha256': signatureOf(relay.secret!, Buffer.from(body)) })
  /** The updates that screens of the entry get during this. */
  const updatesDuring = async (act: () => Promise<unknown>) => {
    const { recorded, stop } = recordEvents(box.context)
    await act()
    stop()
    return recorded.filter(({ type }) => type === 'entry').map(({ data }) => data)
  }
  const update = () => ({ act: 'changed', tool: 'herokudiscordwebhook', id: relay.id })
  const states = async () =>
    (await box.deliveries(relay.id)).map(({ state, note }) => (note ? `${state}: ${note}` : state))

  test('answers 204 once the event and its delivery job are stored', async () => {
    const event = release(1)
    expect(await box.deliver(relay, event)).toBe(204)
    expect(await box.deliveries(relay.id)).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{29}$/),
        eventId: event.id,
        resource: 'api:release',
        action: 'update',
        title: 'lantern-api: v1 released',
        state: 'accepted',
        receivedAt: expect.any(Number),
        attempts: 0,
      },
    ])
    expect(await box.db.q.selectFrom('job').select(['kind', 'lane']).execute()).toEqual([
      { kind: 'delivery', lane: hook.id },
    ])
    expect(box.discord.calls).toEqual([])
  })

  test('rejects an oversized body first, then an unknown token, a missing signature and an invalid event', async () => {
    const large = JSON.stringify({ id: 'x', more: 'x'.repeat(256 * 1_024) })
    const broken = '{"id":'
    expect((await post('/hooks/heroku/unknown', large)).status).toBe(413)
    expect((await post('/hooks/heroku/unknown', broken)).status).toBe(404)
    expect((await post(relay.path, broken)).status).toBe(401)
    expect((await post(relay.path, broken, { 'heroku-webhook-hmac-sha256': 'wrong' })).status).toBe(401)
    expect(await post(relay.path, broken, signed(broken))).toEqual({
      status: 400,
      error: expect.stringContaining('JSON'),
    })
    const other = '{"hello":"world"}'
    expect(await post(relay.path, other, signed(other))).toEqual({ status: 400, error: 'The event has no ID.' })
    await box.ada.patch(box.base, { id: relay.id, status: false })
    expect((await post(relay.path, broken)).status).toBe(401)
    expect((await post(relay.path, broken, signed(broken))).status).toBe(400)
    expect(await states()).toEqual([])
  })

  test.each(['text/plain', 'nonsense', 'application/x-www-form-urlencoded'])(
    'accepts any content type: %s',
    async (type) => {
      expect(await box.deliver(relay, release(1), { 'content-type': type })).toBe(204)
    },
  )

  test('counts rejected deliveries with their reason, and updates open screens', async () => {
    const updates = await updatesDuring(async () => {
      await box.deliver({ ...relay, secret: null }, release(1))
      await box.deliver({ ...relay, secret: 'another secret of Heroku' }, release(1))
    })
    expect(updates).toEqual([update(), update()])
    expect((await box.read(relay.id)).refused).toEqual({ count: 2, at: box.now(), why: 'wrong secret' })
    expect(await states()).toEqual([])
  })

  test('resets the count of rejected deliveries after a correctly signed one, and updates open screens', async () => {
    await box.deliver(relay, release(1))
    const { connectedAt } = await box.read(relay.id)
    box.pass(seconds(1))
    await box.deliver({ ...relay, secret: 'another secret of Heroku' }, release(2))
    expect((await box.read(relay.id)).refused).toMatchObject({ count: 1 })
    expect(await updatesDuring(() => box.deliver(relay, release(2)))).toHaveLength(2)
    expect(await box.read(relay.id)).toMatchObject({ refused: null, connectedAt })
    await box.deliver({ ...relay, secret: null }, release(3))
    expect((await box.read(relay.id)).refused).toMatchObject({ count: 1, why: 'no signature' })
  })

  test('is connected from the first signed delivery on', async () => {
    expect((await box.read(relay.id)).connectedAt).toBeNull()
    const first = box.now()
    const updates = await updatesDuring(async () => {
      await box.deliver(relay, release(1))
      box.pass(seconds(1))
      await box.deliver(relay, release(2))
    })
    expect((await box.read(relay.id)).connectedAt).toBe(first)
    // One notification per arrival, and one for the connection.
    expect(updates).toEqual([update(), update(), update()])
  })

  test('updates open screens for ignored events too', async () => {
    await box.deliver(relay, release(1))
    await box.ada.patch(box.base, { id: relay.id, filter: { resources: ['api:app'], statuses: [] } })
    const { recorded, stop } = recordEvents(box.context)
    await box.deliver(relay, release(2))
    stop()
    expect(recorded).toMatchObject([{ type: 'entry', to: { userId: box.adaUser.id } }])
    expect(await states()).toEqual(['ignored: the filter excludes api:release', 'accepted'])
  })

  test('accepts a new secret immediately, and the previous one for 24 hours', async () => {
    const answer = await box.ada.post(`${box.base}/secret?id=${relay.id}`)
    expect(answer).toMatchObject({ status: 200, body: { previousUntil: box.now() + hours(24) } })
    const { secret } = answer.body
    expect(secret).not.toBe(relay.secret)
    const expected = { secret, previousSecretUntil: box.now() + hours(24) }
    expect(await box.read(relay.id)).toMatchObject(expected)
    expect(await box.deliver({ ...relay, secret }, release(1))).toBe(204)
    expect(await box.deliver(relay, release(2))).toBe(204)
    box.pass(hours(24))
    expect(await box.deliver(relay, release(3))).toBe(401)
    expect(await box.deliver({ ...relay, secret }, release(3))).toBe(204)
  })

  test('accepts signatures by a pasted or previous secret, and unsigned deliveries while checking is off', async () => {
    const secret = 'pasted from Heroku itself'
    await box.ada.patch(box.base, { id: relay.id, secret })
    expect(await box.deliver({ ...relay, secret }, release(1))).toBe(204)
    expect(await box.deliver(relay, release(2))).toBe(204)
    await box.ada.patch(box.base, { id: relay.id, secret: null })
    expect((await box.read(relay.id)).secret).toBeNull()
    expect(await box.deliver({ ...relay, secret: null }, release(3))).toBe(204)
    await box.ada.patch(box.base, { id: relay.id, secret })
    expect(await box.deliver(relay, release(4))).toBe(401)
  })

  test('stores an event once, even if it is delivered repeatedly and concurrently', async () => {
    const event = release(1)
    const answers = await Promise.all(Array.from({ length: 8 }, () => box.deliver(relay, event)))
    expect(answers).toEqual(Array(8).fill(204))
    expect(await box.deliver(relay, event)).toBe(204)
    expect(await states()).toEqual(['accepted'])
    await box.work.runDue()
    expect(await box.deliver(relay, event)).toBe(204)
    await box.work.runDue()
    expect(box.discord.posted).toHaveLength(1)
  })

  test('collapses equal events with other ids within ten minutes', async () => {
    const event = release(1)
    const deliverAgain = () => box.deliver(relay, { ...event, id: randomUUID() })
    await Promise.all([box.deliver(relay, event), deliverAgain(), deliverAgain()])
    await box.work.runDue()
    box.pass(minutes(9))
    await deliverAgain()
    expect((await states()).map((state) => state.split(':')[0])).toEqual([
      'collapsed',
      'collapsed',
      'collapsed',
      'delivered',
    ])
    box.pass(minutes(1))
    await deliverAgain()
    expect((await states())[0]).toBe('accepted')
  })

  test('ignores events that the filter excludes, and records the reason', async () => {
    await box.ada.patch(box.base, { id: relay.id, filter: { preset: 'deploys' } })
    expect(await box.deliver(relay, payloadOf('dyno-crashed'))).toBe(204)
    await box.deliver(relay, release(1))
    expect(await states()).toEqual(['accepted', 'ignored: the filter only allows deploys'])
    const filter = { resources: ['api:release'], statuses: ['failed'] }
    expect((await box.ada.patch(box.base, { id: relay.id, filter })).body.filter).toEqual(filter)
    await box.deliver(relay, release(2))
    expect((await states())[0]).toBe('ignored: the filter excludes the status succeeded')
  })

  test('answers 204 and ignores events while the entry or its owner is not active', async () => {
    await box.ada.patch(box.base, { id: relay.id, status: false })
    expect(await box.deliver(relay, release(1))).toBe(204)
    await box.ada.patch(box.base, { id: relay.id, status: true })
    const owner = box.db.q.updateTable('users').where('id', '=', box.adaUser.id)
    await owner.set({ status: 1 }).execute()
    expect(await box.deliver(relay, release(2))).toBe(204)
    await owner.set({ status: 2 }).execute()
    expect(await states()).toEqual(["ignored: the owner's account is not active", 'ignored: the entry is inactive'])
    await box.work.runDue()
    expect(box.discord.posted).toEqual([])
  })

  test('stores no secrets of an event, and email addresses only if the entry shows authors', async () => {
    await box.deliver(relay, payloadOf('build-succeeded'))
    await box.ada.patch(box.base, { id: relay.id, showActor: true })
    await box.deliver(relay, { ...release(1), actor: { email: 'ada@lantern.example' } })
    const rows = await box.db.q.selectFrom('relay_event').select('payload').orderBy('id').execute()
    expect(rows[0]!.payload).not.toMatch(/lantern\.example|https?:[^"]*[?&]/)
    expect(rows[1]!.payload).toContain('ada@lantern.example')
  })
})

describe.each(racingDialects)('the endpoint for Heroku, with concurrent changes on %s', async (dialect) => {
  const { box, hook } = await deliveryScene(dialect)

  test('answers 404 when its entry is deleted concurrently, and leaves no events behind', async () => {
    for (let round = 0; round < 5; round++) {
      const own = await box.relay(hook)
      const answers = await Promise.all([
        box.deliver(own, release(1)),
        box.ada.delete(`${box.base}?id=${own.id}`).then(({ status }) => status),
        box.deliver(own, release(2)),
      ])
      expect(answers.filter((status) => ![200, 204, 404].includes(status))).toEqual([])
    }
    expect(await box.db.q.selectFrom('relay_event').select('id').execute()).toEqual([])
  })
})
