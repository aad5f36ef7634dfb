import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { fakeWeb } from '../../../test/support/fakes/fake-web.ts'
import { channelScene } from '../../../test/support/scenes/channel-scene.ts'
import { days, type Instant, minutes, seconds } from '../../shared/time.ts'

/** The expiry of every connection's certificate; undefined for plain HTTP. */
let validTo: Instant | undefined
vi.mock('../../platform/net/exchange.ts', async (original) => ({
  ...(await original<object>()),
  certificateOf: () => (validTo === undefined ? {} : { certifiedUntil: validTo }),
}))

const path = '/api/v1/keepalive'

describe.each(dialects)('an expiring certificate, on %s', async (dialect) => {
  const scene = await channelScene(dialect)
  let started: Instant

  const web = await fakeWeb()
  web.on('/', { body: 'fine' })
  afterAll(() => web.close())
  beforeEach(() => {
    started = scene.now()
    validTo = started + days(15) + minutes(1)
  })
  const create = async (more: object = {}): Promise<string> => {
    const { body } = await scene.ada.post(`${path}/`, { url: `${web.origin}/`, name: 'Shop', interval: 1_440, ...more })
    await scene.work.runDue()
    return body.id
  }
  const read = async (id: string) => (await scene.ada.get(`${path}?id=${id}`)).body.certificate
  type Item = { type: string; message: string; entry: object | null }
  /** The notices about entries in the inbox, without those about new channels. */
  const inbox = async () => {
    const items: Item[] = (await scene.ada.get('/api/v1/user/inbox')).body.items
    return items.flatMap(({ type, message, entry }) => (type === 'account' ? [] : [{ type, message, entry }]))
  }

  test('is shown with its entry and in the list, and deleted when the origin changes', async () => {
    const id = await create()
    expect(await read(id)).toEqual({ validTo, days: 15 })
    expect((await scene.ada.get(`${path}/list`)).body[0].certificate).toEqual({ validTo, days: 15 })
    await scene.ada.patch(path, { id, url: `${web.origin}/other` })
    expect(await read(id)).toEqual({ validTo, days: 15 })
    validTo = undefined
    await scene.ada.patch(path, { id, url: 'http://127.0.0.9:9/' })
    expect(await read(id)).toBeNull()
    await scene.work.runDue()
    expect(await read(id)).toBeNull()
    // Back to the first origin, whose certificate this instance has stored before.
    validTo = started + days(15) + minutes(1)
    await scene.ada.patch(path, { id, url: `${web.origin}/` })
    await scene.work.runDue()
    expect(await read(id)).toEqual({ validTo, days: 15 })
  })

  test('causes one notice each at 14 and 3 days before expiry on any instance, and again after a renewal', async () => {
    const { wait, ada, services } = scene
    const ntfySettings = services.ntfy()
    await scene.channel('ntfy', ntfySettings)
    await scene.channel(
      'webhook',
      services.webhook(() => 'unused'),
    )
    const id = await create()
    const ending = async () => (await ada.get(`${path}/certificates`)).body
    expect(await ending()).toEqual([])
    await wait(days(1))
    expect(await ending()).toMatchObject([{ id, name: 'Shop', validTo, days: 14 }])
    const entry = { tool: 'keepalive', id }
    const date = (at: Instant) => new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC' }).format(at)
    const first = {
      type: 'certificate',
      message: `Shop has a certificate that ends soon (in 14 days, on ${date(validTo!)}).`,
      entry,
    }
    expect(await inbox()).toEqual([first])
    await wait(seconds(20))
    // Only the channel for people gets the notice, not the webhook.
    const title = 'Shop has a certificate that ends soon'
    expect(services.received.map(({ body }) => body)).toMatchObject([
      { title, message: `It ends in 14 days, on ${date(validTo!)}.`, click: expect.stringContaining(id) },
    ])
    // No repeat on later days, nor by another instance.
    for (let day = 0; day < 9; day++) {
      await wait(days(1))
      expect(await inbox()).toEqual([first])
    }
    await scene.secondWorker().runDue()
    expect(await inbox()).toEqual([first])
    for (let day = 0; day < 2; day++) await wait(days(1))
    expect(await inbox()).toMatchObject([{ message: expect.stringContaining('in 3 days') }, first])
    const old = validTo!
    const inTurnWith = async (other: Instant) => {
      for (const now of [other, old, other, old]) {
        validTo = now
        await ada.post(`${path}/run?id=${id}`)
        await wait(minutes(1))
      }
    }
    // The host has two certificates and now alternates between them.
    await inTurnWith(old + days(80))
    expect(await inbox()).toHaveLength(2)
    await inTurnWith(old + minutes(30))
    expect(await inbox()).toHaveLength(3)
  })
})
