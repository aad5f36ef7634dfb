import { describe, expect, test } from 'vitest'
import { bothDialects } from '../../test/support/database/databases.ts'
import { keepaliveScene } from '../../test/support/scenes/keepalive-scene.ts'

describe.each(bothDialects)('search on %s', async (dialect) => {
  const { box, ada, target, create } = await keepaliveScene(dialect)

  const boss = box.as(await box.createPerson('boss', 2))

  const found = async (who: typeof ada, text: string): Promise<string[]> =>
    (await who.get(`/api/v1/search?text=${encodeURIComponent(text)}`)).body.rows.map(({ id }: { id: string }) => id)

  test('finds the user’s own entries by name, address and id, ignoring case', async () => {
    const { id } = await create('/200?Of=Shop', { name: 'Größe 100%' })
    const other = (await boss.post('/api/v1/keepalive', { url: `${target.origin}/200?of=shop` })).body.id
    for (const text of ['GRÖSSE'.replace('SS', 'ß'), '100%', 'of=SHOP', ` ${id.toUpperCase()} `])
      expect(await found(ada, text), text).toEqual([id])
    expect(await found(ada, 'nothing like it')).toEqual([])
    expect(await found(ada, other)).toEqual([])
    expect((await found(boss, 'of=shop')).toSorted()).toEqual([id, other].toSorted())
    expect((await boss.get('/api/v1/search?mine=true&text=of%3Dshop')).body.rows).toMatchObject([{ id: other }])
    expect((await ada.get('/api/v1/search?text=shop')).body.rows).toEqual([
      { id, tool: 'keepalive', name: 'Größe 100%', about: expect.stringMatching(/200$/), status: true },
    ])
  })

  test('lists names that begin with the text first, then other names, then the newest, up to twenty', async () => {
    const named = await create('/200', { name: 'Billing' })
    const within = await create('/200', { name: 'Old billing' })
    box.pass(1)
    const newest: string[] = []
    for (let at = 0; at < 20; at++) {
      newest.unshift((await create(`/200?billing=${at}`)).id)
      box.pass(1)
    }
    expect(await found(ada, 'billing')).toEqual([named.id, within.id, ...newest.slice(0, 18)])
  })

  test('finds the user’s newest entries for an empty text', async () => {
    const ids: string[] = []
    for (let at = 0; at < 21; at++) {
      ids.unshift((await create(`/200?newest=${at}`)).id)
      box.pass(1)
    }
    await boss.post('/api/v1/keepalive', { url: `${target.origin}/200` })
    const { rows } = (await ada.get('/api/v1/search?mine=true&text=')).body
    expect(rows.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 20))
  })

  test('rejects empty and overlong texts, and users without access to the tools', async () => {
    const nobody = box.as(await box.createPerson('nobody', 0))
    expect((await nobody.get('/api/v1/search?text=any')).status).toBe(403)
    for (const text of ['', '%20', 'x'.repeat(201)])
      expect(await ada.get(`/api/v1/search?text=${text}`)).toMatchObject({
        status: 400,
        body: { fields: { text: expect.any(String) } },
      })
    expect(await found(ada, 'x'.repeat(200))).toEqual([])
  })
})
