declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** The sha-256 of a proxied image's URL, and when it was purged; kept for minutes. */
    purge: { hash: string; at: number }
    /** When an entry's page was last read, and where it has moved to. */
    purge_page: { entry_id: string; at: number; moved_to: string | null }
    /** The images on it, in its order, and what became of each. */
    purge_image: {
      entry_id: string
      position: number
      origin: string
      outcome: string
      note: string | null
    }
  }
}

export {}
