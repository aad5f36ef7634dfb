import { formatCount } from '../../../shared/count.ts'
import { type AccessLevel, Active, accountStatuses } from '../../../shared/user.ts'
import type { ChangeUsersBody, UsersTogether } from '../../contract.ts'

export type Change = Omit<ChangeUsersBody, 'ids'>
export type UserBulkAction = Change | 'delete'

const count = (number: number, one: string, many: string) => `${formatCount(number)} ${number === 1 ? one : many}`

/** `1 user`, `3 users`. */
export const userCount = (number: number): string => count(number, 'user', 'users')

const entryCount = (number: number) => count(number, 'entry', 'entries')
const sessionCount = (number: number) => count(number, 'session', 'sessions')

export function statusConsequence(status: AccessLevel, all: UsersTogether): string {
  const name = accountStatuses[status].toLowerCase()
  if (status === Active) {
    const idle = all.users - all.active
    if (idle === 0) return 'All of them are active already.'
    const who = `${userCount(idle)} can sign in again`
    return all.entries === 0 ? `${who}.` : `${who}, and paused entries go on.`
  }
  const ended = all.sessions > 0 ? `, and ${sessionCount(all.sessions)} ${all.sessions === 1 ? 'ends' : 'end'} now` : ''
  const paused = all.entries > 0 ? ` ${entryCount(all.entries)} ${all.entries === 1 ? 'is' : 'are'} paused.` : ''
  return `${userCount(all.users)} can't sign in while they are ${name}${ended}.${paused}`
}

export function deleteConsequence(all: UsersTogether): string {
  const lost = [
    all.entries > 0 && `${entryCount(all.entries)} with all history`,
    all.sessions > 0 && sessionCount(all.sessions),
  ].filter((one) => one !== false)
  const what = lost.length === 0 ? 'They have no entries.' : `With them, ${lost.join(' and ')} will be deleted.`
  return all.admins === 0 ? what : `${what} ${count(all.admins, 'of them is an admin', 'of them are admins')}.`
}

/** The completed change in words, for the toast. */
export function describeChange(change: Change): string {
  if (change.status !== undefined) return `set to ${accountStatuses[change.status]}`
  if (change.roles) {
    const levels = Object.entries(change.roles).map(([role, level]) => `${role} ${level}`)
    return `set to ${levels.join(', ')}`
  }
  if (change.removeTags) return change.addTags ? 'retagged' : 'untagged'
  return 'tagged'
}
