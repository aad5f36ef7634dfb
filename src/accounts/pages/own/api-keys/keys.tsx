import { useQuery } from '@tanstack/react-query'
import { useIsPast } from '../../../../ui/clock.ts'
import { Moment } from '../../../../ui/components/moment.tsx'
import { Part } from '../../../../ui/components/page.tsx'
import { Tag } from '../../../../ui/components/pill.tsx'
import table from '../../../../ui/components/small-table.module.css'
import { SmallTable } from '../../../../ui/components/small-table.tsx'
import type { ApiKey } from '../../../users/contract.ts'
import { keysQuery } from '../calls.ts'
import { useFold } from '../fold.tsx'
import css from '../own.module.css'
import { DeleteKey } from './delete-key.tsx'
import { NewKey } from './new-key.tsx'

/** What acts in one's name. */
export function Keys() {
  const { data: keys } = useQuery(keysQuery)
  const { shown, more } = useFold(keys ?? [])
  return (
    <Part className={css.wide} aria-label="API Keys">
      <div className={css.head}>
        <h2>API Keys</h2>
        <NewKey />
      </div>
      {keys?.length === 0 && <p className={css.none}>No API keys yet. API keys act with your permissions.</p>}
      <p className={css.none}>
        See the{' '}
        <a href="/api/docs" target="_blank" rel="noopener noreferrer">
          API documentation
        </a>
        .
      </p>
      {shown.length > 0 && (
        <SmallTable heads={['Name', 'Key', 'Scopes', 'Created', 'Last used', 'Expires']} act="Delete">
          {shown.map((key) => (
            <Row key={key.id} apiKey={key} />
          ))}
        </SmallTable>
      )}
      {more}
    </Part>
  )
}

function Row({ apiKey }: { apiKey: ApiKey }) {
  const { name, last4, scopes, createdAt, lastUsedAt, expiresAt } = apiKey
  const expired = useIsPast(expiresAt)
  return (
    <tr>
      <td title={name}>
        <span className={table.lead}>
          <span>{name}</span>
        </span>
      </td>
      <td data-label="Key">
        <code>••••{last4}</code>
      </td>
      <td data-label="Scopes">{scopes.join(', ')}</td>
      <td data-label="Created">
        <Moment at={createdAt} />
      </td>
      <td data-label="Last used">
        <Moment at={lastUsedAt} />
      </td>
      <td data-label="Expires">{expired ? <Tag text="Expired" /> : <Moment at={expiresAt} never="Never" />}</td>
      <td className={table.act}>
        <DeleteKey apiKey={apiKey} />
      </td>
    </tr>
  )
}
