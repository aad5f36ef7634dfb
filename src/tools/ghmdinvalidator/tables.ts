declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** The sha-256 of a proxied image's URL, and when it was purged; kept for minutes. */
    purge: { hash: string; at: number }
    /** When an entry's page was last read, and where it has moved to. */
    purge_page: { entry_id: string; at: number; moved_to: string | null }
    /**
     * The images on it, in its order, and what became of each. `digest` is the part of the proxy's URL that isn't the
     * image's own; `state` and `cause` say how both copies compared, and `github` and `source` what they were, as JSON.
     */
    purge_image: {
      entry_id: string
      position: number
      origin: string
      outcome: string
      note: string | null
      digest: string | null
      state: string | null
      cause: string | null
      github: string | null
      source: string | null
    }
    /** The copies of its last comparison that are small enough to be shown, by the sha-256 of their bytes, which are base64. */
    image_copy: { entry_id: string; hash: string; type: string; bytes: string }
    /** The images that nobody can see, by the sha-256 of their URLs: in how many runs in a row, at most two, and since when. */
    dead_image: { entry_id: string; hash: string; runs: number; since: number }
  }
}

export {}
