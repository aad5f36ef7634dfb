import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { ApiKey } from '../../people/contract.ts'
import { useIsPast } from '../../ui/clock.ts'
import { Button, Buttons } from '../../ui/components/button.tsx'
import { DeleteInRow } from '../../ui/components/confirm-button.tsx'
import { LoadFailed } from '../../ui/components/load-failed.tsx'
import { Moment } from '../../ui/components/moment.tsx'
import { Tag } from '../../ui/components/pill.tsx'
import { Section } from '../../ui/components/section.tsx'
import table from '../../ui/components/small-table.module.css'
import { SmallTable, useFold } from '../../ui/components/small-table.tsx'
import { callQuery, useCall } from '../../ui/data/call.ts'
import { lazyDialog } from '../../ui/navigation/lazy.ts'
import { Account } from './account.tsx'
import { reloadWithActivity } from './load.ts'
import type { FreshKey } from './new-key-modal.tsx'
import css from './own.module.css'

const useNewKeyModal = lazyDialog(async () => (await import('./new-key-modal.tsx')).NewKeyModal)

export const useDeleteKey = () =>
  useCall('DELETE /api/v1/user/apikeys', { onSettled: () => reloadWithActivity('GET /api/v1/user/apikeys') })

export const KeysPage = () => (
  <Account title="API keys">
    <Keys />
  </Account>
)

function Keys() {
  const query = useQuery(callQuery('GET /api/v1/user/apikeys'))
  const keys = query.data
  const { visibleItems, more } = useFold(keys ?? [])
  return (
    <Section
      title="API Keys"
      note={
        <>
          API keys act with your permissions. See the{' '}
          <a href="/api/docs" target="_blank" rel="noopener noreferrer">
            API documentation
          </a>
          .
        </>
      }
    >
      <LoadFailed queries={[query]} />
      {keys?.length === 0 && <p className={css.none}>No API keys yet.</p>}
      {visibleItems.length > 0 && (
        <SmallTable heads={['Name', 'Key', 'Scopes', 'Created', 'Last used', 'Expires']} act="Delete">
          {visibleItems.map((key) => (
            <Row key={key.id} apiKey={key} />
          ))}
        </SmallTable>
      )}
      {more}
      <Buttons>
        <NewKey offersExample={keys?.length === 0} />
      </Buttons>
    </Section>
  )
}

/** Both buttons share one dialog, which has to stay open when the new key removes the example button. */
function NewKey({ offersExample }: { offersExample: boolean }) {
  // A new `turn` each time resets the form.
  const { Dialog, turn, open, close, openerAfter } = useNewKeyModal()
  const [name, setName] = useState('')
  const [newKey, setNewKey] = useState<FreshKey>()
  const opens = (name: string) =>
    openerAfter(() => {
      setName(name)
      setNewKey(undefined)
    })
  return (
    <>
      <Button size="small" {...opens('')}>
        <Plus size={14} aria-hidden="true" />
        New API key
      </Button>
      {offersExample && (
        <Button size="small" {...opens('Status script')}>
          Fill in an example
        </Button>
      )}
      {Dialog && <Dialog key={turn} open={open} name={name} newKey={newKey} onClose={close} onMade={setNewKey} />}
    </>
  )
}

function Row({ apiKey }: { apiKey: ApiKey }) {
  const { id, name, last4, scopes, createdAt, lastUsedAt, expiresAt } = apiKey
  const expired = useIsPast(expiresAt)
  const remove = useDeleteKey()
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
        <DeleteInRow
          id={id}
          name={name}
          noun="API key"
          consequence="Apps using this key will stop working."
          remove={remove}
        />
      </td>
    </tr>
  )
}
