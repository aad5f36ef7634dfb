import { issuesOf } from '../../ui/form/issues.ts'
import type { Common, Detail, EntryScreens, Item } from './tool-pages.ts'

/** Why the contracts would refuse these values, by field; fetches them. */
export async function check<Row extends Item, Entry extends Detail, Settings extends object>(
  screens: Pick<EntryScreens<Row, Entry, Settings>, 'check'>,
  values: Settings & Common,
): Promise<Record<string, string>> {
  const { CommonFields } = await import('../contract.ts')
  return { ...issuesOf(CommonFields, values), ...(await screens.check(values)) }
}
