import type { Generated } from 'kysely'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** A tag's total views by source, which never decrease; `shownViews` is the number that a badge shows. */
    badge: {
      tag: string
      camo: Generated<number>
      other: Generated<number>
      /** 0 before the first view of a claimed tag. */
      last_view: number
      created_at: number
      /** When it was last changed, or requested without a view (recorded once a day, only for tags of few views). */
      asked_at: Generated<number | null>
      /** The user who has claimed it; null once that user is deleted. The columns below keep their values then. */
      owner_id: Generated<string | null>
      claimed_at: Generated<number | null>
      /** Added to its views, such as the count of another service. */
      base: Generated<number>
      /** The total views at its last reset, which are no longer shown. */
      reset_views: Generated<number>
      /** Whether its image hides the number: 0 or 1. */
      hidden: Generated<number>
    }
    /** New tags by source (GitHub's proxy, or the hash of a network) and minute, counted from 1970. */
    badge_new: { source: string; minute: number; tags: number }
    /** The totals before a day's first view, or at a reset that day; other days have no row. */
    badge_day: { tag: string; day: string; camo: number; other: number }
    /** Unreadable views that an earlier version stored in SQLite, each value as a SQLite literal. */
    badge_journal_unreadable: { id: Generated<number>; at: string; source: string; tags: string }
  }
}
