import { afterAll, describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { base, openHouse } from '../../../test/support/scenes/ghmd-scene.ts'

describe.each(dialects)('the address of a hook on %s', async (dialect) => {
  const house = await openHouse(dialect)
  afterAll(() => house.close())

  const statusOf = async (url: string) =>
    (await house.box.app.inject({ method: 'POST', url: new URL(url).pathname })).statusCode

  test('is another one once it is renewed, and the old one is dead at once', async () => {
    const { id, hookUrl } = await house.create(house.github.page(house.path(), []))
    expect(await statusOf(hookUrl)).toBe(202)
    const renewed = await house.ada.post(`${base}/hook?id=${id}`)
    expect(renewed).toMatchObject({ status: 200, body: { hookUrl: expect.not.stringMatching(hookUrl) } })
    expect(await house.read(id)).toMatchObject({ hookUrl: renewed.body.hookUrl })
    expect(await statusOf(hookUrl)).toBe(404)
    expect(await statusOf(renewed.body.hookUrl)).toBe(202)
  })

  test('is renewed by nobody who may not see the entry', async () => {
    const { id, hookUrl } = await house.create(house.github.page(house.path(), []))
    const other = house.box.as(await house.box.person(`other-${dialect}`))
    expect((await other.post(`${base}/hook?id=${id}`)).status).toBe(404)
    expect((await house.ada.post(`${base}/hook?id=nobody`)).status).toBe(404)
    expect(await statusOf(hookUrl)).toBe(202)
  })
})
