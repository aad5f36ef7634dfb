import { createUser } from '../src/people/store.ts'
import { getRequest, load } from './stage/load.ts'
import { median } from './stage/measure.ts'
import { openScene } from './stage/scene.ts'
import { atLeast, formatFigure, type Row } from './table.ts'

const rounds = 7
const leastOfOpen = 0.25

/** Compares a route for members with the same route without a guard: the cost of authenticating the caller. */
export async function guarded(): Promise<Row[]> {
  const scene = await openScene()
  try {
    const userId = await scene.prepare((db) =>
      createUser(
        db,
        db.q,
        { name: 'Ada', email: 'ada@example.com', emailVerified: true, roles: { Admin: 0, Tools: 1 } },
        Date.now(),
      ),
    )
    const site = await scene.site()
    const { name, value } = await site.ask('signIn', userId)
    // Both browsers already have an XSRF token, so that issuing one is not measured.
    const visitor = await scene.cookies({})
    const member = await scene.cookies({ cookie: `${name}=${value}` })
    const answersTo = async (path: string, headers: Record<string, string>) => {
      const request = getRequest(scene.sitePort, path, headers)
      return (await load(scene.sitePort, () => request)).perSecond
    }
    const pairs: { open: number; guarded: number }[] = []
    for (let round = 0; round < rounds; round += 1)
      pairs.push({
        open: await answersTo('/api/v1/bench/open', visitor),
        guarded: await answersTo('/api/v1/bench/guarded', member),
      })
    await site.ask('stop')
    site.end()
    const share = median(pairs.map((pair) => pair.guarded / pair.open))
    const measured = `${formatFigure(median(pairs.map((pair) => pair.guarded)))} and ${formatFigure(median(pairs.map((pair) => pair.open)))} answers a second`
    return [atLeast('a guarded route beside an open one', share, leastOfOpen, '×', measured)]
  } finally {
    scene.close()
  }
}
