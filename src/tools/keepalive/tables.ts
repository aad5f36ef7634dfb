declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** Until when an entry's certificate is valid, and which one its owner was told of, and how many days before its end. */
    certificate: { entry_id: string; valid_to: number; told_to: number | null; told_days: number | null }
    /** What the last turn of an entry's act saw, how often the app was found asleep, and what the next turn has to know. */
    awake: {
      entry_id: string
      state: string | null
      found_asleep: number
      last_asleep_at: number | null
      memory: string
    }
  }
}

export {}
