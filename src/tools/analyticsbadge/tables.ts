import type { Generated } from 'kysely'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** A tag's views in total, by source: GitHub's image proxy and everybody else. They never decrease; what is shown is `shownViews`. */
    badge: {
      tag: string
      camo: Generated<number>
      other: Generated<number>
      /** 0 before the first view of a claimed tag. */
      last_view: number
      created_at: number
      /** When somebody last asked for it without a view, noted once a day and only while it has few views, or its owner last changed it. */
      asked_at: Generated<number | null>
      /** Who has claimed it; null again once they are deleted. What follows stays in any case. */
      owner_id: Generated<string | null>
      claimed_at: Generated<number | null>
      /** What is added to its views: those of another service. */
      base: Generated<number>
      /** The views at its last reset, which are no longer shown. */
      reset_views: Generated<number>
      /** Whether its picture keeps the number to itself: 0 or 1. */
      hidden: Generated<number>
    }
    /** How many new tags a source added in a minute since 1970: GitHub's proxy, or a network made unreadable. */
    badge_new: { source: string; minute: number; tags: number }
    /** The totals before a day's first view; a day without views has no row. */
    badge_day: { tag: string; day: string; camo: number; other: number }
    /** Views that an earlier version's SQLite stored and that can't be read, each value as SQLite writes it. */
    badge_journal_unreadable: { id: Generated<number>; at: string; source: string; tags: string }
  }
}
