import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { invalid } from '../../../shared/http-error.ts'
import { textColumn } from './columns.ts'

const db = { kind: 'sqlite', timestamp: (at: number) => new Date(at).toISOString() } as const
const filter = (way: 'equals' | 'includes' | 'fuzzy', text: string) => () =>
  textColumn(sql.ref('url'), way).filter(db, text, { zone: 'UTC', named: 'filter[url]' })

test('a long text can be searched for literally, but not as a pattern', () => {
  const [plain, withAccent] = ['a'.repeat(2_000), `${'a'.repeat(100)}é`]
  for (const accepted of [filter('includes', plain), filter('equals', withAccent), filter('fuzzy', 'é'.repeat(100))])
    expect(accepted).not.toThrow()
  for (const refused of [filter('includes', withAccent), filter('fuzzy', plain)])
    expect(refused).toThrow(invalid('filter[url]', 'Search for at most 100 characters.'))
})
