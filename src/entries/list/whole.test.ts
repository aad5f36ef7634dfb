import { expect, test } from 'vitest'
import { bothDialects } from '../../../test/support/database/databases.ts'
import { toolbox } from '../../../test/support/toolbox.ts'

const many = 1_600
/** The most rows that may be processed without yielding, which takes a few milliseconds. */
const mostAtOnce = 250

test.each(bothDialects)(
  'unpaged lists and searches on %s are complete and keep yielding to other work',
  async (dialect) => {
    const box = await toolbox(dialect)
    const owner = await box.createPerson('boss', 2)
    const ids = Array.from({ length: many }, (_, n) => `e${String(n).padStart(5, '0')}`)
    for (let from = 0; from < many; from += 1_000) {
      const values = ids.slice(from, from + 1_000).map((id) => ({
        id,
        tool: 'keepalive',
        owner_id: owner.id,
        status: 1 as const,
        settings: JSON.stringify({ url: `https://example.com/${id}`, interval: null }),
        address: null,
        // Several entries share each instant, also across page boundaries.
        created_at: Math.floor(Number(id.slice(1)) / 7),
        updated_at: 0,
      }))
      await box.db.q.insertInto('entry').values(values).execute()
    }
    const boss = box.as(owner)
    await boss.get('/api/v1/keepalive/figures')
    let turns = 0
    let isAnswered = false
    const count = () => {
      turns += 1
      if (!isAnswered) setImmediate(count)
    }
    setImmediate(count)
    const { body } = await boss.get('/api/v1/keepalive/list')
    const found = await boss.get('/api/v1/keepalive/list?all=rows&sort=id&filter[url]=e0')
    isAnswered = true
    expect(body.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed())
    expect(found.body.map(({ id, recent }: { id: string; recent: object[] }) => [id, recent])).toEqual(
      ids.map((id) => [id, []]),
    )
    expect(turns).toBeGreaterThan((2 * many) / mostAtOnce)
    expect((await boss.get('/api/v1/keepalive/list?all=ids&filter[url]=e0149')).body).toEqual(
      ids.slice(1_490, 1_500).toReversed(),
    )
    for (const query of ['all=rows&page=1', 'all=ids&size=10', 'all=every'])
      expect((await boss.get(`/api/v1/keepalive/list?${query}`)).status, query).toBe(400)
    await box.close()
  },
)
