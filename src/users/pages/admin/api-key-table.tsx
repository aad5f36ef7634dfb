import { Moment } from '../../../web/ui/moment.tsx'
import { Card } from '../../../web/ui/page.tsx'
import type { ApiKey } from '../../contract.ts'
import css from './user-form.module.css'

/** The user's API keys, to look at: only the user makes and deletes them. */
export function ApiKeyTable({ keys }: { keys: readonly ApiKey[] }) {
  return (
    <Card className={`${css.part} ${css.wide}`} aria-label="API Keys">
      <h2>API Keys</h2>
      {keys.length === 0 && <p className={css.none}>There are no API keys. Users make their own on their profile.</p>}
      {keys.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <section className={css.scroll} tabIndex={0} aria-label="The user's API keys">
          <table className={css.table}>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Last Four</th>
                <th scope="col">Scopes</th>
                <th scope="col">Created</th>
                <th scope="col">Last Used</th>
                <th scope="col">Expires</th>
              </tr>
            </thead>
            <tbody>
              {keys.map((key) => (
                <Row key={key.id} apiKey={key} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Card>
  )
}

function Row({ apiKey }: { apiKey: ApiKey }) {
  return (
    <tr>
      <td title={apiKey.name}>{apiKey.name}</td>
      <td>
        <code>{apiKey.last4}</code>
      </td>
      <td>{apiKey.scopes.join(', ')}</td>
      <td>
        <Moment at={apiKey.createdAt} />
      </td>
      <td>
        <Moment at={apiKey.lastUsedAt} />
      </td>
      <td>{apiKey.expiresAt === null ? 'Never' : <Moment at={apiKey.expiresAt} />}</td>
    </tr>
  )
}
