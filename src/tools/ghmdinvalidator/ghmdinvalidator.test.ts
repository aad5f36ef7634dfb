import { describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { base, ghmdScene } from '../../../test/support/scenes/ghmd-scene.ts'

describe.each(dialects)('the API of the cache invalidator on %s', async (dialect) => {
  const { github, box, ada, create, read, path } = await ghmdScene(dialect)

  test('accepts pages of GitHub and of its gists, and rejects other URLs', async () => {
    await create(`${github.gistUrl}/owner/1`)
    const host = new URL(github.url).host
    const why = `Enter a ${host} or gist.${host} page, such as ${github.url}/owner/repository.`
    const refused = ['https://example.com/owner', github.url, `${github.url}/`, `${github.api.origin}/owner`]
    for (const url of refused)
      expect(await ada.post(`${base}/`, { url })).toMatchObject({
        status: 400,
        body: { error: why, fields: { url: why } },
      })
    const { id } = await create(github.page(path(), []))
    expect(await ada.patch(base, { id, url: 'https://example.com/owner' })).toMatchObject({ status: 400 })
    expect(await ada.post(`${base}/`, { url: 'no address' })).toMatchObject({
      status: 400,
      body: { fields: { url: expect.any(String) } },
    })
    expect(await ada.post(`${base}/`, {})).toMatchObject({ status: 400, body: { fields: { url: 'Enter a URL.' } } })
  })

  test('gives each entry its own secret hook URL, which a PATCH does not change', async () => {
    const { id, hookUrl } = await create(github.page(path(), []))
    expect(hookUrl).toMatch(/^http:\/\/localhost:3000\/hooks\/ghmd\/[\w-]{43}$/)
    expect((await create(github.page(path(), []))).hookUrl).not.toBe(hookUrl)
    const entry = await read(id)
    const answer = await ada.patch(base, { ...entry, hookUrl: 'http://evil.example/', url: github.page(path(), []) })
    expect(answer).toMatchObject({ status: 200, body: { hookUrl } })
    expect(entry).not.toHaveProperty('token')
    expect(entry).not.toHaveProperty('interval')
    const { settings, address } = await box.db.q
      .selectFrom('entry')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(settings + address).not.toContain(hookUrl.split('/').at(-1))
  })
})
