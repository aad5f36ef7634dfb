import type { Generated } from 'kysely'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** A tag's views in all, by source: GitHub's image proxy and everybody else. */
    badge: { tag: string; camo: Generated<number>; other: Generated<number>; last_view: number; created_at: number }
    /** How far they had come before a day's first view; a day without views has none. */
    badge_day: { tag: string; day: string; camo: number; other: number }
    /** SQLite's alone: the tags of views, a JSON list, that are not added to `badge` yet. */
    badge_journal: { id: Generated<number>; at: number; source: 'camo' | 'other'; tags: string }
    /** Rows of the journal that could not be read, each value as SQLite writes it. */
    badge_journal_unreadable: { id: Generated<number>; at: string; source: string; tags: string }
  }
}
