import type { ApiKey } from '../../../people/contract.ts'
import { Moment } from '../../../ui/components/moment.tsx'
import { Part } from '../../../ui/components/page/page.tsx'
import { SmallTable } from '../../../ui/components/small-table.tsx'
import css from './user-form.module.css'

/** The user's API keys, read-only: only the user can create and delete them. */
export function ApiKeyTable({ keys }: { keys: readonly ApiKey[] }) {
  return (
    <Part className={css.wide} aria-label="API Keys">
      <h2>API Keys</h2>
      {keys.length === 0 && <p className={css.none}>No API keys. Users create their own on their profile.</p>}
      {keys.length > 0 && (
        <SmallTable heads={['Name', 'Last Four', 'Scopes', 'Created', 'Last Used', 'Expires']}>
          {keys.map((key) => (
            <Row key={key.id} apiKey={key} />
          ))}
        </SmallTable>
      )}
    </Part>
  )
}

function Row({ apiKey }: { apiKey: ApiKey }) {
  return (
    <tr>
      <td title={apiKey.name}>{apiKey.name}</td>
      <td data-label="Last Four">
        <code>{apiKey.last4}</code>
      </td>
      <td data-label="Scopes">{apiKey.scopes.join(', ')}</td>
      <td data-label="Created">
        <Moment at={apiKey.createdAt} />
      </td>
      <td data-label="Last Used">
        <Moment at={apiKey.lastUsedAt} />
      </td>
      <td data-label="Expires">
        <Moment at={apiKey.expiresAt} never="Never" />
      </td>
    </tr>
  )
}
