import { beforeEach, expect } from 'vitest'
import type { Dialect } from '../database/databases.ts'
import { fakeWeb } from '../fakes/fake-web.ts'
import { redirectPublicAddresses } from '../public-addresses.ts'
import { closeAfterwards, type Overrides, toolbox } from '../toolbox.ts'

/** For tests of entries: the server, Ada, and a web server to visit. Each test starts without entries. */
export async function keepaliveScene(dialect: Dialect, overrides?: Overrides) {
  const target = closeAfterwards(await fakeWeb())
  target.on('/200', { body: 'hello' })
  for (const status of [404, 500, 503]) target.on(`/${status}`, { status })
  target.on('/moved', { status: 302, headers: { location: '/200' } })
  const box = closeAfterwards(await toolbox(dialect, {}, undefined, overrides))
  const adaUser = await box.createPerson('ada')
  const ada = box.as(adaUser)
  beforeEach(async () => {
    target.visits.length = 0
    await box.db.q.deleteFrom('entry').execute()
  })

  return {
    ...{ box, target, ada, adaUser },
    async create(path: string, more: object = {}): Promise<{ id: string }> {
      const answer = await ada.post('/api/v1/keepalive/', { url: target.origin + path, ...more })
      expect(answer.status).toBe(201)
      return answer.body
    },
    read: async (id: string) => (await ada.get(`/api/v1/keepalive?id=${id}`)).body,
  }
}

/** The same, but every host name has a public address that leads to the web server; `createAt` takes such a name. */
export async function hostScene(dialect: Dialect) {
  redirectPublicAddresses()
  const scene = await keepaliveScene(dialect, { resolve: async () => ['8.8.8.8'] })
  const urlAt = (host: string, path = '/') => `http://${host}:${scene.target.port}${path}`
  return {
    ...scene,
    urlAt,
    createAt: (host: string, more: object = {}) => scene.create('/', { url: urlAt(host), ...more }),
  }
}
