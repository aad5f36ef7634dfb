import { Dialog } from '@base-ui/react/dialog'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  CalendarClock,
  CircleCheck,
  KeyRound,
  Megaphone,
  MoonStar,
  OctagonX,
  Server,
  ShieldAlert,
  TriangleAlert,
  UserPlus,
  X,
} from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useState } from 'react'
import { pages } from '../../../shared/pages.ts'
import { Button, iconButtonClass } from '../../../ui/components/button.tsx'
import popup from '../../../ui/components/menu/popup.module.css'
import { Ago } from '../../../ui/components/moment.tsx'
import pillCss from '../../../ui/components/pill.module.css'
import { ShowOlder } from '../../../ui/components/show-older.tsx'
import surface from '../../../ui/components/surface.module.css'
import { reload, useCall } from '../../../ui/data/call.ts'
import { useIsPhone } from '../../../ui/media.ts'
import { bellContainerId } from '../../../ui/shell/open-requests.ts'
import { timeNow } from '../../../ui/time-now.ts'
import type { InboxItem } from '../../contract.ts'
import { inboxQuery } from './calls.ts'
import { groupByDay } from './days.ts'
import css from './inbox.module.css'

type PanelProps = { open: boolean; bell: RefObject<HTMLButtonElement | null>; onClose: () => void }

export const InboxPanel = (props: PanelProps) => (useIsPhone() ? <Sheet {...props} /> : <Popup {...props} />)

/** Rendered into the header, so that it stays below the bell. */
function Popup({ open, bell, onClose }: PanelProps) {
  return (
    <Dialog.Root
      open={open}
      modal={false}
      onOpenChange={(next, { event, reason }) => {
        // The bell's own click handler closes the popup, but Escape closes it while the bell has the focus, too.
        const isBell = event.target instanceof Node && bell.current?.contains(event.target)
        if (!next && (reason === 'escape-key' || !isBell)) onClose()
      }}
    >
      <Dialog.Portal container={document.getElementById(bellContainerId)}>
        <Dialog.Popup className={`${surface.raised} ${surface.drop} ${css.panel} ${css.popup}`} finalFocus={bell}>
          <InboxList onGo={onClose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Sheet({ open, bell, onClose }: PanelProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={`${surface.scrim} ${css.scrim}`} />
        <Dialog.Popup className={`${surface.raised} ${surface.dialog} ${css.panel} ${css.sheet}`} finalFocus={bell}>
          <InboxList
            close={
              <Dialog.Close className={iconButtonClass} aria-label="Close inbox">
                <X size={18} aria-hidden="true" />
              </Dialog.Close>
            }
            onGo={onClose}
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const none: readonly InboxItem[] = []

/** Shown items count as read, but stay marked until the inbox is closed. */
function InboxList({ close, onGo }: { close?: ReactNode; onGo: () => void }) {
  const query = useInfiniteQuery({
    ...inboxQuery,
    // Reload, so that items don't link to entries deleted meanwhile.
    refetchOnMount: 'always',
  })
  const { data, isError, hasNextPage } = query
  const items = data?.items ?? none
  const { isMarked, marked, clear } = useMarks(items)
  return (
    <>
      <div className={css.head}>
        <Dialog.Title className={css.title}>Inbox</Dialog.Title>
        {marked && (
          <Button size="small" onClick={clear}>
            Mark all as read
          </Button>
        )}
        {close}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section className={css.scroll} aria-label="Items" tabIndex={0}>
        {data && items.length === 0 && (
          <p className={css.empty}>
            <b>Nothing yet</b>
            When an entry fails or recovers, or your account changes, you'll read about it here.
          </p>
        )}
        {isError && !data && <p className={css.empty}>The inbox can't be loaded right now.</p>}
        {groupByDay(items, new Date(timeNow())).map(({ day, items }) => (
          <section key={day} aria-label={day}>
            <h3 className={popup.heading}>{day}</h3>
            <ul>
              {items.map((item) => (
                <li key={item.id}>
                  <Row item={item} marked={isMarked(item)} onGo={onGo} />
                </li>
              ))}
            </ul>
          </section>
        ))}
        {hasNextPage && (
          <div className={css.more}>
            <ShowOlder query={query}>Load older</ShowOlder>
          </div>
        )}
      </section>
    </>
  )
}

const unreadOf = (items: readonly InboxItem[]) => items.filter(({ readAt }) => readAt === null)

/** Marks the shown items as read on the server, and remembers which were unread when shown. */
function useMarks(items: readonly InboxItem[]) {
  const [marks, setMarks] = useState<ReadonlySet<string>>(new Set())
  const { mutate } = useCall('POST /api/v1/user/inbox/read', {
    onMutate: () => setMarks((before) => new Set([...before, ...unreadOf(items).map(({ id }) => id)])),
    onSuccess: () => reload(inboxQuery),
    meta: { quiet: true },
  })
  useEffect(() => {
    const unread = unreadOf(items)
    if (unread.length > 0) mutate({ until: Math.max(...unread.map(({ at }) => at)) })
  }, [items, mutate])
  return {
    isMarked: ({ id }: InboxItem) => marks.has(id),
    marked: marks.size > 0,
    clear: () => setMarks(new Set()),
  }
}

const icons = {
  failing: [OctagonX, 'danger'],
  recovered: [CircleCheck, 'success'],
  blocked: [TriangleAlert, 'danger'],
  certificate: [ShieldAlert, 'warning'],
  due: [CalendarClock, 'warning'],
  offer: [MoonStar, 'info'],
  account: [KeyRound, 'info'],
  access: [UserPlus, 'info'],
  operator: [Server, 'warning'],
  announcement: [Megaphone, 'info'],
} as const

function linkOf({ type, entry }: InboxItem) {
  if (type === 'access') return { to: pages.users.path }
  return entry && { to: `/tools/${entry.tool}/modify`, search: { id: entry.id } }
}

type RowProps = { item: InboxItem; marked: boolean; onGo: () => void }

function Row({ item, marked, onGo }: RowProps) {
  const [Icon, tone] = icons[item.type]
  const face = (
    <>
      <span className={pillCss.icon} data-tone={tone} aria-hidden="true">
        <Icon size={15} />
      </span>
      <span className={css.text}>
        <span className={css.message}>{item.message}</span>
        <small>
          <Ago at={item.at} />
        </small>
      </span>
      {marked && (
        <span className={css.unread}>
          <span className="sr">Unread</span>
        </span>
      )}
    </>
  )
  const linkProps = linkOf(item)
  if (!linkProps) return <div className={css.row}>{face}</div>
  return (
    <Link {...linkProps} className={`${css.row} ${css.link}`} onClick={onGo}>
      {face}
    </Link>
  )
}
