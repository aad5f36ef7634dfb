import { useQuery } from '@tanstack/react-query'
import { channelsQuery, useDeleteChannel } from '../../notices/pages/channels/calls.ts'
import { Button } from '../../ui/components/button.tsx'
import { DeleteInRow } from '../../ui/components/confirm-button.tsx'
import { Modal, ModalActions } from '../../ui/components/modal/modal.tsx'
import { Moment } from '../../ui/components/moment.tsx'
import table from '../../ui/components/small-table.module.css'
import { SmallTable } from '../../ui/components/small-table.tsx'
import { callQuery } from '../../ui/data/call.ts'
import { useDeleteKey } from './keys.tsx'
import css from './own.module.css'
import { createdSince } from './session-review.tsx'

/** Lists the keys and channels that an ended session may have left behind, each with a delete button. */
export function SessionReviewModal({ open, since, onClose }: { open: boolean; since: number; onClose: () => void }) {
  const { data: keys = [] } = useQuery(callQuery('GET /api/v1/user/apikeys'))
  const { data: channels = [] } = useQuery(channelsQuery)
  const items = createdSince(since, keys, channels)
  const remove = { 'API key': useDeleteKey(), channel: useDeleteChannel() }
  return (
    <Modal
      open={open}
      wide
      title="Check what was created recently"
      description="API keys and channels keep working after you sign out. Delete any you don't recognize."
      onClose={onClose}
    >
      <div className={css.form}>
        <p className={css.note}>
          Created or changed since <Moment at={since} />
        </p>
        {items.length === 0 && <p>Nothing is left to check.</p>}
        {items.length > 0 && (
          <SmallTable heads={['Name', 'Kind', 'When']} act="Delete">
            {items.map(({ id, name, kind, at }) => (
              <tr key={id}>
                <td title={name}>
                  <span className={table.lead}>
                    <span>{name}</span>
                  </span>
                </td>
                <td data-label="Kind">{kind === 'channel' ? 'Channel' : kind}</td>
                <td data-label="When">
                  <Moment at={at} />
                </td>
                <td className={table.act}>
                  <DeleteInRow id={id} name={name} noun={kind} consequence={consequences[kind]} remove={remove[kind]} />
                </td>
              </tr>
            ))}
          </SmallTable>
        )}
        <ModalActions>
          <Button tone="primary" onClick={onClose}>
            Done
          </Button>
        </ModalActions>
      </div>
    </Modal>
  )
}

const consequences = { 'API key': 'Apps using this key will stop working.', channel: 'Unsent messages are dropped.' }
