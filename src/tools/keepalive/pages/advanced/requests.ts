import type { SettingsOf } from '../../../../entries/contract.ts'
import type { keepalive } from '../../contract.ts'

/** What the Advanced part of the form changes. */
export type Requests = Pick<SettingsOf<typeof keepalive>, 'quiet' | 'method' | 'headers' | 'expect'>
type Expect = NonNullable<Requests['expect']>

/** What an answer must be, without what was emptied; null for the usual. */
export function expecting({ statuses, text, absent }: { [Name in keyof Expect]: string | undefined }): Expect | null {
  const expect = { ...(statuses && { statuses }), ...(text && { text }), ...(absent && { absent }) }
  return Object.keys(expect).length === 0 ? null : expect
}
