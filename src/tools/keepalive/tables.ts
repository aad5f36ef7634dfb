declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** The expiry of an entry's certificate, and the last notice: the expiry it was about, and the days before it. */
    certificate: { entry_id: string; valid_to: number; told_to: number | null; told_days: number | null }
    /** How often turns of an entry's act found the app asleep, and the memory (JSON) for the next turn. */
    awake: {
      entry_id: string
      found_asleep: number
      last_asleep_at: number | null
      memory: string
    }
  }
}

export {}
