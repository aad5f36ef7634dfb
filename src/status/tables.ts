import '../platform/db/tables.ts'

declare module '../platform/db/tables.ts' {
  interface Tables {
    /** One a user. */
    status_page: {
      id: string
      user_id: string
      slug: string
      title: string
      text: string
      created_at: number
      updated_at: number
    }
  }
}
