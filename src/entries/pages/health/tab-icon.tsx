import { useQueries } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type Milliseconds, minutes } from '../../../shared/time.ts'
import { can } from '../../../shared/user.ts'
import { useRefreshEvery } from '../../../ui/data/live.ts'
import { useSessionUser } from '../../../ui/data/session.ts'
import { figuresQuery } from '../calls.ts'
import type { PageNames } from '../tool-pages.ts'

/** A tab behind hears of no changes, but its icon is all that is seen of it. */
const behind: Milliseconds = minutes(1)
const withDot = new URL('../../../ui/icon-trouble.svg', import.meta.url).href

/** A red dot on the icon of the browser's tab while any of the user's own entries fails or is blocked. */
export function TabIcon({ tools }: { tools: readonly PageNames[] }) {
  const every = useRefreshEvery()
  const user = useSessionUser()
  // Others see only their own anyway, and share this with what else shows figures.
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
    const usual = icon.getAttribute('href') ?? ''
    icon.href = withDot
    return () => {
      icon.setAttribute('href', usual)
    }
  }, [isTrouble])
  return null
}
