import { useQueries } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { createPortal } from 'react-dom'
import { formatCount } from '../../../shared/count.ts'
import { type Milliseconds, minutes } from '../../../shared/time.ts'
import { can } from '../../../shared/user.ts'
import { Glyph } from '../../../ui/components/status.tsx'
import { useRefetchInterval } from '../../../ui/data/live.ts'
import { useSessionUser } from '../../../ui/data/session.ts'
import { bellContainerId } from '../../../ui/shell/open-requests.ts'
import { figuresQuery } from '../calls.ts'
import { listPath } from '../head.tsx'
import type { PageNames } from '../tool-pages.ts'
import css from './tab-icon.module.css'

/** How often a hidden tab refreshes: it receives no live events, but its icon stays visible. */
const behind: Milliseconds = minutes(1)
const troubleIconUrl = new URL('../../../ui/icon-trouble.svg', import.meta.url).href

/** Marks the tab's icon while any of the user's own entries is failing or blocked, and links to failing entries. */
export function TabIcon({ tools }: { tools: readonly PageNames[] }) {
  const every = useRefetchInterval()
  const user = useSessionUser()
  // Other users see only their own entries anyway. Without `mine`, they share the query with other figures.
  const mine = user && can(user, 'Tools', 2) ? 'true' : undefined
  const refetchInterval = (query: Parameters<typeof every>[0]) =>
    document.visibilityState === 'hidden' ? behind : every(query)
  const isTrouble = useQueries({
    queries: tools.map((tool) => ({ ...figuresQuery(tool, mine), refetchInterval, refetchIntervalInBackground: true })),
    combine: (figures) => figures.some(({ data }) => data && data.failing + data.blocked > 0),
  })
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')
    if (!icon || !isTrouble) return
    const defaultHref = icon.getAttribute('href') ?? ''
    icon.href = troubleIconUrl
    return () => {
      icon.setAttribute('href', defaultHref)
    }
  }, [isTrouble])
  return <FailingLink tools={tools} />
}

/** The link to the failing entries, in the header of every screen except Home, which starts with them. */
function FailingLink({ tools }: { tools: readonly PageNames[] }) {
  const isHome = useLocation({ select: ({ pathname }) => pathname === '/' })
  const refetchInterval = useRefetchInterval()
  const all = useQueries({ queries: tools.map((tool) => ({ ...figuresQuery(tool), refetchInterval })) })
  const failing = tools.flatMap((tool, at) =>
    (['failing', 'blocked'] as const).flatMap((health) => {
      const count = all[at]?.data?.[health] ?? 0
      return count > 0 ? [{ tool, health, count }] : []
    }),
  )
  const place = document.getElementById(bellContainerId)
  const [first, second] = failing
  if (!place || !first || isHome) return null
  const count = failing.reduce((sum, one) => sum + one.count, 0)
  const words = count === 1 ? '1 failing entry' : `${formatCount(count)} failing entries`
  // Home shows the failing entries of several lists.
  const to = second ? { to: '/' } : { to: listPath(first.tool), search: { health: first.health } }
  return createPortal(
    <Link {...to} className={css.failing} aria-label={words} title={words}>
      <Glyph state="failing" />
      {count > 99 ? '99+' : count}
    </Link>,
    place,
  )
}
