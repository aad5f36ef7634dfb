import { expect, test } from 'vitest'
import { bothDialects } from '../../../test/support/database/databases.ts'
import { toolbox } from '../../../test/support/toolbox.ts'
import { keepalive } from '../../tools/keepalive/contract.ts'
import { recentRuns } from '../contract.ts'

test.each(bothDialects)('list rows on %s include the last runs, and only fields of the contract', async (dialect) => {
  const box = await toolbox(dialect)
  const boss = await box.createPerson('boss', 2)
  const entry = (id: string) => ({
    ...{ id, tool: 'keepalive', owner_id: boss.id, status: 1 as const, created_at: 0, updated_at: 0 },
    settings: JSON.stringify({ url: `https://example.com/${id}"`, interval: null, internal: 'for nobody' }),
    ...{ last_at: 99, last_success: 1 as const, last_note: 'said "no"' },
  })
  await box.db.q
    .insertInto('entry')
    .values([entry('a'), entry('b')])
    .execute()
  const runs = Array.from({ length: recentRuns + 5 }, (_, n) => ({ at: 60 + n, success: n % 3 === 0 ? 0 : 1 }) as const)
  await box.db.q
    .insertInto('run')
    .values(runs.map((run) => ({ entry_id: 'a', ...run, duration: 1, note: 'for nobody' })))
    .execute()
  const ask = async (query: string) => (await box.as(boss).get(`/api/v1/keepalive/${query}`)).body
  const { rows, total } = await ask('list?page=1')
  expect(total).toBe(2)
  const recent = runs.slice(-recentRuns).reverse()
  expect(rows.map((row: { id: string; recent: unknown }) => [row.id, row.recent])).toEqual([
    ['b', []],
    ['a', recent.map(({ at, success }) => ({ timestamp: at, success: success === 1 }))],
  ])
  for (const row of rows) expect(keepalive.ListItem.parse(row)).toEqual(row)
  expect(JSON.stringify(rows)).not.toContain('for nobody')
  expect((await ask('recent')).rows).toEqual(expect.arrayContaining(rows))
  expect(await ask('list?all=rows')).toEqual(rows)
  expect((await box.as(boss).get('/api/v1/keepalive?id=a')).body.recent).toEqual(rows[1].recent)
  await box.close()
})
