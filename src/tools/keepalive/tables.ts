declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** Until when an entry's certificate is valid, and which one its owner was told of, and how many days before its end. */
    certificate: { entry_id: string; valid_to: number; told_to: number | null; told_days: number | null }
  }
}

export {}
