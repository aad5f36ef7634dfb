import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Dialect } from '../../../../test/support/database/databases.ts'
import { type FakeWeb, fakeWeb, type Reply } from '../../../../test/support/fakes/fake-web.ts'
import { hours, minutes } from '../../../shared/time.ts'
import { type House, openHouse } from '../test-house.ts'

export const svg = (text: string) => `<svg xmlns="http://www.w3.org/2000/svg"><text>${text}</text></svg>`
export const picture = (text: string, headers: Record<string, string> = {}) => ({
  headers: { 'content-type': 'image/svg+xml', ...headers },
  body: svg(text),
})

/** A house whose pages show images of a server that is there. */
export function imagesScene(dialect: Dialect) {
  let house: House
  let web: FakeWeb
  beforeAll(async () => {
    house = await openHouse(dialect)
    web = await fakeWeb()
  })
  afterAll(async () => {
    await web.close()
    await house.close()
  })
  beforeEach(async () => {
    await house.clear()
    web.visits.length = 0
    // What one test tells is not gathered with the next.
    house.box.pass(minutes(1))
  })

  let serial = 0
  function origin(...replies: Reply[]): string {
    const path = `/image/${serial++}.svg`
    web.on(path, ...replies)
    return web.origin + path
  }
  const page = (images: readonly string[]) => house.github.page(house.path(), images)
  return {
    now: () => ({ house, web }),
    /** An image's URL, which answers so, one after the other. */
    origin,
    change: (url: string, ...replies: Reply[]) => web.on(new URL(url).pathname, ...replies),
    page,
    /** An entry that purges only what is stale, after its first run. */
    async stale(images: readonly string[]) {
      const { id } = await house.create(page(images), { mode: 'stale' })
      await house.box.work.runDue()
      return id
    },
    async turn(id: string) {
      house.box.pass(hours(12))
      await house.box.work.runDue()
      return (await house.read(id)).history[0]
    },
  }
}
