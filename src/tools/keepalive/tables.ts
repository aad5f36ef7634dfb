declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** Until when an entry's certificate is valid, and which one its owner was told of, so many days before it ends. */
    certificate: { entry_id: string; valid_to: number; told_to: number | null; told_days: number | null }
  }
}

export {}
