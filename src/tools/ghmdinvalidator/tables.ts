declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** The SHA-256 of a proxied image's URL, and when it was purged; kept for minutes. */
    purge: { hash: string; at: number }
    /** When an entry's page was last read, and its new URL if it has moved. */
    purge_page: { entry_id: string; at: number; moved_to: string | null }
    /** `digest`: the part of the proxied URL not derived from `origin`. `github`, `source`: both copies, as JSON. */
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
    /** The displayable copies from the last comparison, by the SHA-256 of their content; `bytes` is base64. */
    image_copy: { entry_id: string; hash: string; type: string; bytes: string }
    /** Broken images by the SHA-256 of their URLs: for how many consecutive runs (two at most), and since when. */
    dead_image: { entry_id: string; hash: string; runs: number; since: number }
  }
}

export {}
