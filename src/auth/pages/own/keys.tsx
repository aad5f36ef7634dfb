import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { ApiKey } from '../../../users/contract.ts'
import { later } from '../../../web/idle.ts'
import { succeed } from '../../../web/toasts.ts'
import { Button } from '../../../web/ui/button.tsx'
import { Card } from '../../../web/ui/page.tsx'
import { Tag } from '../../../web/ui/pill.tsx'
import { keysQuery, useDeleteKey } from './calls.ts'
import { useFold } from './fold.tsx'
import css from './own.module.css'
import { When } from './when.tsx'

const useNewKeyModal = later(async () => (await import('./new-key-modal.tsx')).NewKeyModal)
const useDeleteModal = later(async () => (await import('../../../web/ui/delete-modal.tsx')).DeleteModal)

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

function NewKey() {
  const { Component: NewKeyModal, ask } = useNewKeyModal()
  const [open, setOpen] = useState(false)
  const [turn, setTurn] = useState(0)
  return (
    <>
      <Button
        size="small"
        aria-haspopup="dialog"
        onPointerEnter={ask}
        onFocus={ask}
        onClick={() => {
          ask()
          // Every turn starts with a blank form, and the last one's key is forgotten.
          setTurn(turn + 1)
          setOpen(true)
        }}
      >
        <Plus size={14} aria-hidden="true" />
        New API key
      </Button>
      {NewKeyModal && <NewKeyModal key={turn} open={open} onClose={() => setOpen(false)} />}
    </>
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

function DeleteKey({ apiKey: { id, name } }: { apiKey: ApiKey }) {
  const { Component: DeleteModal, ask } = useDeleteModal()
  const [open, setOpen] = useState(false)
  const remove = useDeleteKey()
  const close = () => setOpen(false)
  return (
    <>
      <Button
        size="small"
        aria-label={`Delete ${name}`}
        aria-haspopup="dialog"
        onPointerEnter={ask}
        onFocus={ask}
        onClick={() => {
          ask()
          setOpen(true)
        }}
      >
        Delete
      </Button>
      {DeleteModal && (
        <DeleteModal
          open={open}
          id={name}
          noun="API key"
          consequence="Whatever uses it is refused from then on."
          busy={remove.isPending}
          onClose={close}
          onDelete={() =>
            remove.mutate(id, { onSuccess: () => succeed(`Deleted the API key ${name}.`), onSettled: close })
          }
        />
      )}
    </>
  )
}
