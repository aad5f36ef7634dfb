import { sql } from 'kysely'
import { turnJob } from '../../../entries/store.ts'
import type { Db, Queries } from '../../../platform/db/open.ts'
import { keepaliveNames } from '../terms.ts'

/** The jobs of those of these entries that have quiet hours. */
export async function quietTurns({ isOneOf }: Db, entryIds: readonly string[], tx: Queries): Promise<string[]> {
  const rows = await tx
    .selectFrom('entry')
    .select('id')
    .where('tool', '=', keepaliveNames.id)
    .where('settings', 'like', '%"quiet":{%')
    .where(sql<boolean>`${isOneOf('id', entryIds)}`)
    .execute()
  return rows.map(({ id }) => turnJob(id))
}
