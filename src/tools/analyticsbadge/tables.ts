import type { Generated } from 'kysely'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** A tag's views in total, by source: GitHub's image proxy and everybody else. */
    badge: {
      tag: string
      camo: Generated<number>
      other: Generated<number>
      last_view: number
      created_at: number
      /** When somebody last asked for it without a view; noted once a day, and only while it has few views. */
      asked_at: Generated<number | null>
    }
    /** How many new tags a source added in a minute since 1970: GitHub's proxy, or a network made unreadable. */
    badge_new: { source: string; minute: number; tags: number }
    /** The totals before a day's first view; a day without views has no row. */
    badge_day: { tag: string; day: string; camo: number; other: number }
    /** Only in SQLite: views that aren't added to `badge` yet; `tags` is a JSON list. */
    badge_journal: { id: Generated<number>; at: number; source: 'camo' | 'other'; tags: string }
    /** Rows of the journal that couldn't be read, each value as SQLite writes it. */
    badge_journal_unreadable: { id: Generated<number>; at: string; source: string; tags: string }
  }
}
