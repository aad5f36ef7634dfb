import { describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { keepaliveScene } from '../../../test/support/scenes/keepalive-scene.ts'
import { minutes } from '../../shared/time.ts'

const path = '/api/v1/keepalive'

describe.each(dialects)('a run whose entry is edited in the meantime, on %s', async (dialect) => {
  const { target, box, ada, create, read } = await keepaliveScene(dialect)

  const edits = {
    'to another URL': () => ({ url: `${target.origin}/right` }),
    'to expect something else': () => ({ expect: { statuses: '503' } }),
    'to another method': () => ({ method: 'HEAD' }),
    'to send a header': () => ({ headers: [{ name: 'X-Key', value: 'right' }] }),
  }
  const kinds = { turn: true, 'Run now': true, 'Run now of a paused entry': false }
  const cases = Object.entries(edits).flatMap(([edit, body]) =>
    Object.entries(kinds).map(([kind, status]) => [kind, edit, { status, body }] as const),
  )

  test.each(cases)(
    'a %s, edited %s, is repeated, and the result of the old settings is dropped',
    async (kind, _, { status, body }) => {
      box.pass(minutes(10))
      let edited: Promise<{ status: number }> | undefined
      target.on('/right', { status: 200 })
      target.on('/wrong', async (visit, response) => {
        const isFirst = edited === undefined
        edited ??= ada.patch(path, { id, ...body() })
        await edited
        const isRight = visit.method === 'HEAD' || visit.headers['x-key'] === 'right'
        response.writeHead(isRight && !isFirst ? 200 : 503).end()
      })
      const { id } = await create('/wrong', { interval: 1, status: kind === 'turn' })
      if (kind !== 'turn') expect((await ada.post(`${path}/run?id=${id}`)).status).toBe(202)
      if (kind === 'Run now') await ada.patch(path, { id, status })
      await box.work.runDue()
      expect(await edited).toMatchObject({ status: 200 })
      const { history } = await read(id)
      expect(history.filter(({ success }: { success: boolean }) => !success)).toEqual([])
      expect(history.length).toBeGreaterThan(0)
    },
  )

  test('is recorded if only the name, interval or notifyAfter is edited', async () => {
    for (const body of [{ name: 'Shop' }, { interval: 7 }, { notifyAfter: 5 }]) {
      box.pass(minutes(10))
      target.on('/slow', async (_visit, response) => {
        await ada.patch(path, { id, ...body })
        response.writeHead(503).end()
      })
      const { id } = await create('/slow', { interval: 1 })
      await box.work.runDue()
      expect((await read(id)).history).toMatchObject([{ success: false, note: 'answered 503' }])
      await ada.delete(`${path}?id=${id}`)
    }
  })
})
