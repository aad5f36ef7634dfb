import type { Instant } from '../../shared/time.ts'

/** A database of SQLite, rows as JSON lines, or either of them sealed. */
export type Form = 'db' | 'jsonl' | 'sealed'

const pattern = /^(?:toolbox|before-([\w-]+?))-(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)Z\.(db|jsonl|sealed)$/

/** The name of a backup made at this second; `before` names the migration it was made for. */
export function backupName(at: Instant, form: Form, before?: string): string {
  const stamp = `${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}Z`
  return `${before === undefined ? 'toolbox' : `before-${before}`}-${stamp}.${form}`
}

/** What a name says; undefined if no backup of ours is called so. */
export function readName(name: string): { at: Instant; form: Form; before: string | undefined } | undefined {
  const [, before, day, hour, minute, second, form] = pattern.exec(name) ?? []
  const at = Date.parse(`${day}${hour}:${minute}:${second}Z`)
  return Number.isNaN(at) ? undefined : { at, form: form as Form, before }
}

/** Whether it was made on schedule or on demand, and so may be removed once newer ones make up for it. */
export const isRegular = (name: string): boolean => name.startsWith('toolbox-')
