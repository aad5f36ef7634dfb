import { useQuery } from '@tanstack/react-query'
import type { ApiKey } from '../../../users/contract.ts'
import { Card } from '../../../web/ui/page.tsx'
import { Tag } from '../../../web/ui/pill.tsx'
import { keysQuery } from './calls.ts'
import { DeleteKey } from './delete-key.tsx'
import { useFold } from './fold.tsx'
import { NewKey } from './new-key.tsx'
import css from './own.module.css'
import { When } from './when.tsx'

/** What acts in one's name. */
export function Keys() {
  const { data: keys } = useQuery(keysQuery)
  const { shown, more } = useFold(keys ?? [])
  return (
    <Card className={css.part} aria-label="API Keys">
      <div className={css.head}>
        <h2>API Keys</h2>
        <NewKey />
      </div>
      {keys?.length === 0 && (
        <p className={css.none}>No API key yet. A program that shows one may do what you may do, and no more.</p>
      )}
      <p className={css.none}>
        What a program may call is told in the{' '}
        <a href="/api/docs" target="_blank" rel="noopener noreferrer">
          description of the API
        </a>
        .
      </p>
      {shown.length > 0 && (
        <div className={css.scroll}>
          <table className={css.table}>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Key</th>
                <th scope="col">Scopes</th>
                <th scope="col">Created</th>
                <th scope="col">Last used</th>
                <th scope="col">Expires</th>
                <th scope="col">
                  <span className="sr">Delete</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((key) => (
                <Row key={key.id} apiKey={key} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {more}
    </Card>
  )
}

function Row({ apiKey }: { apiKey: ApiKey }) {
  const { name, last4, scopes, createdAt, lastUsedAt, expiresAt } = apiKey
  const expired = expiresAt !== null && expiresAt <= Date.now()
  return (
    <tr>
      <td title={name}>
        <span className={css.lead}>
          <span>{name}</span>
        </span>
      </td>
      <td data-label="Key">
        <code>••••{last4}</code>
      </td>
      <td data-label="Scopes">{scopes.join(', ')}</td>
      <td data-label="Created">
        <When at={createdAt} never="–" />
      </td>
      <td data-label="Last used">
        <When at={lastUsedAt} never="–" />
      </td>
      <td data-label="Expires">{expired ? <Tag text="Expired" /> : <When at={expiresAt} never="Never" />}</td>
      <td className={css.act}>
        <DeleteKey apiKey={apiKey} />
      </td>
    </tr>
  )
}
