import type { ColumnTerms } from '../../shared/list-terms.ts'

export const entryColumnTerms = {
  name: { title: 'Name', search: 'includes' },
  id: { title: 'ID', search: 'equals' },
  status: { title: 'Status', search: 'word' },
  owner: { title: 'Owner', search: 'fuzzy' },
  createdAt: { title: 'Created Timestamp', search: 'time' },
  lastRun: { title: 'Last Run', search: 'time' },
} as const satisfies Record<string, ColumnTerms>

export const urlColumnTerms: ColumnTerms = { title: 'URL', search: 'includes' }
