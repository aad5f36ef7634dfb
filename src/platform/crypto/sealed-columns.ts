/**
 * Every column that holds sealed text, alone or within JSON, by the names of table and column, with the table's key.
 * `seal` takes one of these, so that a new one has to stand here, where `rotate-secret` finds it. The sign-in library
 * stores nothing that it seals: we keep no tokens of providers.
 */
export const sealedColumns = {
  'entry.settings': 'id',
  'channel.settings': 'id',
  'second_factor.secret': 'user_id',
  'second_factor.codes': 'user_id',
  'second_factor.new_secret': 'user_id',
  'second_factor.new_codes': 'user_id',
  /** The canary. Last, since a start without the previous secret is refused until it is sealed anew. */
  'setting.value': 'key',
} as const
export type SealedColumn = keyof typeof sealedColumns
