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
    /** Whose an address was last, and when; kept for 31 days after a page has it no more. */
    status_slug: { slug: string; user_id: string; used_at: number }
  }
}
