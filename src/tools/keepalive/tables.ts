declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** Until when an entry's certificate is valid, and which one its owner was told of, and how many days before its end. */
    certificate: { entry_id: string; valid_to: number; told_to: number | null; told_days: number | null }
    /** How often a turn of an entry's act found the app asleep, and what the next turn has to know. */
    awake: {
      entry_id: string
      found_asleep: number
      last_asleep_at: number | null
      memory: string
    }
  }
}

export {}
