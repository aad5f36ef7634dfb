import type { ColumnTerms } from '../../shared/list-terms.ts'

/** The columns of the list of users, by their keys. */
export const userColumnTerms = {
  id: { title: 'User ID', search: 'fuzzy' },
  lastUsageTimestamp: { title: 'Last Usage Timestamp', search: 'time' },
  name: { title: 'Account Name', search: 'fuzzy' },
  email: { title: 'Email', search: 'fuzzy' },
  status: { title: 'Status', search: 'word' },
  roles: { title: 'Roles', search: 'includes' },
  tags: { title: 'Tags', search: 'includes' },
  providers: { title: 'Providers', search: 'includes' },
  lastSignInAt: { title: 'Last Sign-in', search: 'time' },
} as const satisfies Record<string, ColumnTerms>
