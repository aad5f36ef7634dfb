import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Copy } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { channelTitle } from '../../shared/title.ts'
import { IconButton, linkClass } from '../../ui/components/button.tsx'
import { copy } from '../../ui/components/copy.ts'
import { Moment } from '../../ui/components/moment.tsx'
import { Card } from '../../ui/components/page.tsx'
import { useSessionUser } from '../../ui/data/session.ts'
import { channelsQuery } from './calls.ts'
import css from './details.module.css'
import type { Detail } from './tool-pages.ts'

/** `children` are the rows of its tool. */
export const Details = ({ tool, entry, children }: { tool: string; entry: Detail; children: ReactNode }) => (
  <Card className={css.details} aria-label="Details">
    <h2>Details</h2>
    <dl>
      {children}
      <Row name="Notifies">
        <NotifiedChannels tool={tool} entry={entry} />
      </Row>
      <Row name="Owner">{entry.owner}</Row>
      <Row name="Created">
        <Moment at={entry.createdAt} />
      </Row>
      <Row name="ID">
        <span className={css.id}>
          <input aria-label="ID" readOnly value={entry.id} />
          <IconButton label="Copy ID" onClick={() => void copy(entry.id)}>
            <Copy size={14} aria-hidden="true" />
          </IconButton>
        </span>
      </Row>
    </dl>
  </Card>
)

export const Row = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const ToChannels = ({ children }: { children: ReactNode }) => (
  <Link to="/user/channels" className={linkClass}>
    {children}
  </Link>
)
const mostNamed = 2

/** The channels that notify the owner of this entry's failures. A new entry has an empty ID. */
export function NotifiedChannels({ tool, entry }: { tool: string; entry: Pick<Detail, 'id' | 'owner'> }) {
  const user = useSessionUser()
  const isOwn = entry.owner === user?.email
  const { data } = useQuery({ ...channelsQuery(tool, entry.id), enabled: isOwn })
  if (!isOwn) return 'Its owner, by their channels'
  if (!data) return '\u00a0'
  if (data.length === 0)
    return (
      <>
        Your inbox only. <ToChannels>Add a channel</ToChannels>
      </>
    )
  const more = data.length - mostNamed
  return (
    <>
      {data.slice(0, mostNamed).map((channel, at) => (
        <Fragment key={channel.id}>
          {at > 0 && ', '}
          <ToChannels>{channelTitle(channel, channel.type)}</ToChannels>
        </Fragment>
      ))}
      {more > 0 && <ToChannels> and {more} more</ToChannels>}
    </>
  )
}
