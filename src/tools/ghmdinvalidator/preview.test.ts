import { describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { pageOf } from '../../../test/support/fakes/fake-github.ts'
import { fakeWeb } from '../../../test/support/fakes/fake-web.ts'
import { base, ghmdScene } from '../../../test/support/scenes/ghmd-scene.ts'
import { closeAfterwards } from '../../../test/support/toolbox.ts'

describe.each(dialects)('a preview on %s', async (dialect) => {
  const { github, box, ada } = await ghmdScene(dialect, undefined, { GITHUB_TOKEN: 'ghp_example' })
  const elsewhere = closeAfterwards(await fakeWeb())
  const look = (url: string) => ada.post(`${base}/preview`, { url })
  const badge = 'https://img.example/badge.svg?label=ü&style=flat'
  const shot = 'https://raw.githubusercontent.com/owner/repository/main/shot.png'
  const avatar = 'https://avatars.githubusercontent.com/u/1?s=40&v=4'

  test('shows the images that a run would purge, the images it ignores, and the kind of page', async () => {
    const image = github.image(badge)
    const { status, body } = await look(github.page('/owner/repository', [image, shot], 'partial'))
    expect(status).toBe(200)
    expect(body).toEqual({
      items: [{ camo: image, origin: badge }],
      ignored: [avatar, shot],
      kind: 'repository',
      movedTo: null,
    })
    expect(github.purges()).toEqual([])
    expect(await box.db.q.selectFrom('job').select('id').execute()).toEqual([])
  })

  test('shows the new URL of a renamed page', async () => {
    const url = github.page('/owner/new', [])
    github.pages.on('/owner/old', { status: 301, headers: { location: url } })
    expect((await look(`${github.url}/owner/old#readme`)).body).toMatchObject({ movedTo: url })
    expect((await look(`${github.url}/Owner/New/`)).status).toBe(400)
    expect((await look(`${url}#readme`)).body).toMatchObject({ movedTo: null })
  })

  test('reads the readme from the API with the token when the page shows no images', async () => {
    github.page('/owner/quiet', [])
    github.readme('owner/quiet', [github.image(badge)])
    expect((await look(`${github.url}/owner/quiet.git`)).status).toBe(400)
    expect((await look(`${github.url}/owner/quiet`)).body.items).toMatchObject([{ origin: badge }])
    expect(github.api.visits[0]?.headers).toMatchObject({ authorization: 'Bearer ghp_example' })
    expect(github.pages.visits.some(({ headers }) => headers.authorization)).toBe(false)
  })

  test.each([
    ['/owner/none', 'not public, or does not exist'],
    ['/status/500', 'GitHub answered 500'],
  ])('of %s reports why it cannot be read', async (path, why) => {
    const error = `Couldn't read this page: ${why}.`
    expect(await look(github.url + path)).toMatchObject({ status: 400, body: { error, fields: { url: error } } })
  })

  test('never visits hosts other than GitHub, neither directly nor through redirects', async () => {
    elsewhere.on('/secret', { body: pageOf([github.image(badge)], 'plain') })
    elsewhere.on('/back', { status: 302, headers: { location: `${github.url}/owner/home` } })
    github.page('/owner/home', [github.image(badge)])
    for (const [path, to] of [
      ['/owner/out', `${elsewhere.origin}/secret`],
      ['/owner/through', `${elsewhere.origin}/back`],
      ['/owner/scheme', 'file:///etc/passwd'],
      ['/owner/api', `${github.api.origin}/user`],
    ] as const)
      github.pages.on(path, { status: 302, headers: { location: to } })
    for (const path of ['/owner/out', '/owner/through', '/owner/scheme', '/owner/api']) {
      const { status, body } = await look(github.url + path)
      expect([status, body.error]).toEqual([400, expect.stringContaining('not to GitHub')])
    }
    const refused = await look(`${elsewhere.origin}/secret`)
    expect(refused).toMatchObject({ status: 400, body: { fields: { url: expect.stringMatching(/^Enter a .* page/) } } })
    expect(elsewhere.visits).toEqual([])
    expect(github.api.visits).toEqual([])
  })

  test('requires a URL and accepts no other field', async () => {
    expect((await ada.post(`${base}/preview`, {})).status).toBe(400)
    expect((await ada.post(`${base}/preview`, { url: github.url, id: 'x' })).status).toBe(400)
  })
})
