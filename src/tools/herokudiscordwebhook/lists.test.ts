import { describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { deliveryScene } from '../../../test/support/scenes/relay/delivery-scene.ts'
import { maskOf } from '../../shared/urls/discord-webhook.ts'

describe.each(dialects)('lists of relay entries and of their deliveries on %s', async (dialect) => {
  const { box, hook, relay } = await deliveryScene(dialect)

  const create = (body: object) => box.ada.post(`${box.base}/`, body)

  test('a list masks the webhook and omits the secret', async () => {
    const [listed] = (await box.ada.get(`${box.base}/list`)).body
    expect(listed).toMatchObject({ id: relay.id, discordHook: maskOf(hook), webhookId: hook.id })
    expect(listed).not.toHaveProperty('secret')
    expect(JSON.stringify(listed)).not.toContain(hook.token)
    expect(maskOf(hook)).toMatch(/^https:\/\/discord\.com\/api\/webhooks\/\d{4}…\/••••[\w-]{4}$/)
  })

  test('a list can be filtered by the whole endpoint, and by the webhook in any form', async () => {
    const found = async (key: string, text: string) => {
      const { status, body } = await box.ada.get(
        `${box.base}/list?${new URLSearchParams({ [`filter[${key}]`]: text })}`,
      )
      return status === 200 ? body.rows.map((row: { id: string }) => row.id) : body.fields
    }
    const { herokuEndpoint } = (await box.ada.get(`${box.base}?id=${relay.id}`)).body
    expect(await found('herokuEndpoint', herokuEndpoint)).toEqual([relay.id])
    expect(await found('herokuEndpoint', `${herokuEndpoint}x`)).toEqual([])
    const sentence = expect.stringMatching(/^Enter the whole endpoint/)
    for (const part of [herokuEndpoint.slice(0, 30), herokuEndpoint.split('/').at(-1), 'heroku'])
      expect(await found('herokuEndpoint', part)).toEqual({ 'filter[herokuEndpoint]': sentence })
    const other = `https://canary.discord.com/api/v10/webhooks/${hook.id}/${hook.token}?thread_id=123456789012345678`
    for (const text of [
      hook.url,
      other,
      maskOf(hook),
      hook.id,
      hook.id.slice(2, 9),
      'API/webhooks',
      hook.url.slice(0, 40),
    ])
      expect(await found('discordHook', text), text).toEqual([relay.id])
    for (const text of [hook.token, 'nothing', hook.url.replace(hook.id, '999999999999999999')])
      expect(await found('discordHook', text), text).toEqual([])
    for (const sort of ['herokuEndpoint', 'discordHook'])
      expect((await box.ada.get(`${box.base}/list?sort=${sort}`)).body.total).toBe(1)
  })

  test.each([
    ['an invalid webhook id', (settings: string) => settings.replace(`"id":"${hook.id}"`, '"id":"channels"')],
    ['a token that was never encrypted', (settings: string) => settings.replaceAll('"token":"v1.', '"token":"')],
    ['an invalid filter', (settings: string) => settings.replace('{"preset":"everything"}', '"everything"')],
    ['settings that are not JSON', (settings: string) => settings.slice(1)],
  ])('a list omits an entry stored with %s, and shows the others', async (_what, spoilt) => {
    const { body } = await create({ discordHook: hook.url })
    const query = box.db.q.selectFrom('entry').select('settings').where('id', '=', relay.id)
    const { settings } = await query.executeTakeFirstOrThrow()
    expect(spoilt(settings)).not.toBe(settings)
    await box.db.q
      .updateTable('entry')
      .set({ settings: spoilt(settings) })
      .where('id', '=', relay.id)
      .execute()
    const list = await box.ada.get(`${box.base}/list`)
    expect(list).toMatchObject({ status: 200, body: [{ id: body.id }] })
    expect((await box.ada.delete(`${box.base}?id=${relay.id}`)).status).toBe(200)
  })

  test('deliveries are listed by state, time and logged text, page by page', async () => {
    await box.db.q.deleteFrom('relay_event').where('entry_id', '=', relay.id).execute()
    const rows = Array.from({ length: 230 }, (_, n) => ({
      id: `${(1_700_000_000_000 + n * 10).toString(16).padStart(12, '0')}${'0'.repeat(17)}`,
      entry_id: relay.id,
      event_id: `event-${n}`,
      event_key: `${relay.id} ${n}`,
      resource: n % 2 === 0 ? 'dyno' : 'release',
      action: 'update',
      state: n % 3 === 0 ? 'held' : 'delivered',
      received_at: 1_700_000_000_000 + n * 10,
      note: n === 7 ? 'answered 500' : null,
      payload: '{}',
    }))
    await box.db.q
      .insertInto('relay_event')
      .values(rows.map((row) => ({ ...row, collapse_key: null })))
      .execute()
    const newest = rows.map(({ id }) => id).reverse()
    const listed = async (parameters: object) => {
      const { status, body } = await box.ada.get(
        `${box.base}/deliveries?${new URLSearchParams({ id: relay.id, ...parameters })}`,
      )
      return status === 200 ? body.map(({ id }: { id: string }) => id) : body.fields
    }
    expect(await listed({})).toEqual(newest.slice(0, 200))
    expect(await listed({ before: newest[199] })).toEqual(newest.slice(200))
    expect(await listed({ before: '1700000000020', size: '1' })).toEqual([rows[1]!.id])
    expect(await listed({ since: '1700000000020', before: '1700000000041' })).toEqual(
      [rows[4], rows[3], rows[2]].map((row) => row!.id),
    )
    expect(await listed({ state: 'held', size: '10' })).toEqual(
      rows
        .filter((row) => row.state === 'held')
        .map(({ id }) => id)
        .reverse()
        .slice(0, 10),
    )
    expect(await listed({ search: 'ANSWERED 5' })).toEqual([rows[7]!.id])
    expect(await listed({ search: 'event-22', state: 'held' })).toEqual([rows[228]!.id, rows[225]!.id, rows[222]!.id])
    expect(await listed({ search: 'dyno', size: '200' })).toHaveLength(115)
    for (const wrong of [
      { state: 'lost' },
      { size: '0' },
      { size: '201' },
      { before: 'x' },
      { since: 'x' },
      { colour: 'red' },
    ])
      expect(Object.keys(await listed(wrong))).toEqual(Object.keys(wrong))
  })
})
