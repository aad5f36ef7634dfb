import type { ColumnTerms } from '../../shared/list-terms.ts'

/** The columns that every list of entries is searched and sorted by, by their keys. */
export const entryColumnTerms = {
  name: { title: 'Name', search: 'includes' },
  id: { title: 'ID', search: 'equals' },
  status: { title: 'Status', search: 'word' },
  owner: { title: 'Owner', search: 'fuzzy' },
  createdAt: { title: 'Created Timestamp', search: 'time' },
  lastRun: { title: 'Last Run', search: 'time' },
} as const satisfies Record<string, ColumnTerms>

/** The own column of tools whose entries are URLs. */
export const urlColumnTerms: ColumnTerms = { title: 'URL', search: 'includes' }
