import { onlyTheseTags } from '../../people/contract.ts'
import type { ImportRow } from '../../platform/imports/import-file.ts'
import { plain, readTable } from '../../platform/imports/rows.ts'
import { HttpError } from '../../shared/http-error.ts'
import { canonicalEmail } from '../../shared/schemas/email.ts'
import { ImportLine, importReportOf, refusedImportOf } from '../../shared/schemas/import-report.ts'
import { accessLevels, accountStatuses, knownTags, type RoleName, roleNames } from '../../shared/user.ts'

export const importUsersPath = '/api/v1/admin/users/import'

/** The largest file, in bytes, and how many users one may name. */
export const largestFile = 2 * 1_024 * 1_024
const mostInFile = 5_000

export const ImportUsersReport = importReportOf(ImportLine)
export const RefusedUsersImport = refusedImportOf(ImportUsersReport)

/** What a row says of a user, as a body of the call for a single one has it; fields that the row leaves empty are left out. */
export type UserDraft = { body: Readonly<Record<string, unknown>> & { email: string } }
export type UserRow = ImportRow<UserDraft>

const fields = ['email', 'name', 'username', 'roles', 'tools', 'admin', 'tags', 'status'] as const
type Field = (typeof fields)[number]
/** What the list's own file calls them. */
const otherNames: ReadonlyMap<string, Field> = new Map([
  ['accountname', 'name'],
  ['credusername', 'username'],
])
/** The other columns of that file, which can't be imported. */
const leftOut = ['userid', 'id', 'lastusagetimestamp', 'providers', 'lastsignin']

/** What a table of users with a row of names on top holds. Throws Unreadable. */
export const readUsers = (text: Buffer): Promise<UserRow[]> =>
  readTable(text, {
    columnOf,
    names: fields,
    needed: 'email',
    most: mostInFile,
    of: 'users',
    aboutOf: ({ email, name = '' }) => ({ what: (email ?? name).slice(0, 200) }),
    draftOf,
  })

/** The field of a column; null for those that are left out. */
function columnOf(cell: string): Field | null | undefined {
  const name = plain(cell)
  return fields.find((one) => one === name) ?? otherNames.get(name) ?? (leftOut.includes(name) ? null : undefined)
}

const isNone = (text: string) => text === '–' || text === '-'

const unusable = (why: string) => new HttpError(400, why)

function draftOf(row: Partial<Record<Field, string>>): UserDraft {
  const { email, name, username, tags, status } = row
  if (email === undefined) throw unusable('Enter an email.')
  const roles = { ...rolesIn(row.roles), ...levelIn('Tools', row.tools), ...levelIn('Admin', row.admin) }
  return {
    body: {
      // As emails are stored. What is none stays as it is: its letters could turn into others.
      email: canonicalEmail(email) ?? email,
      ...(name !== undefined && { name }),
      ...(username !== undefined && !isNone(username) && { credUsername: username }),
      ...(Object.keys(roles).length > 0 && { roles }),
      ...(tags !== undefined && { tags: tagsIn(tags) }),
      ...(status !== undefined && { status: statusIn(status) }),
    },
  }
}

const levelWords = Object.fromEntries(Object.entries(accessLevels).map(([level, word]) => [plain(word), Number(level)]))

function levelIn(role: RoleName, text: string | undefined): { [Role in RoleName]?: number } {
  if (text === undefined) return {}
  const level = /^[0-2]$/.test(text) ? Number(text) : levelWords[plain(text)]
  if (level === undefined) throw unusable(`Use 0, 1 or 2 for ${role}.`)
  return { [role]: level }
}

/** Longer lists of roles or tags name more than there are. */
const longestList = 200

/** Such as `Admin 2, Tools 1`; a dash stands for no role. */
function rolesIn(text: string | undefined): { [Role in RoleName]?: number } {
  if (text === undefined) return {}
  if (isNone(text)) return { Admin: 0, Tools: 0 }
  if (text.length > longestList) throw unusable('Use roles such as Admin 2, Tools 1.')
  const parts = text.split(/[,;]/).map((part) => /^\s*([a-z]+)[\s:=]*(.*?)\s*$/i.exec(part) ?? [])
  return Object.assign(
    {},
    ...parts.map(([, name = '', level = '']) => {
      const role = roleNames.find((one) => plain(one) === plain(name))
      if (!role || level === '') throw unusable('Use roles such as Admin 2, Tools 1.')
      return levelIn(role, level)
    }),
  )
}

function tagsIn(text: string): string[] {
  if (isNone(text)) return []
  if (text.length > longestList) throw unusable(onlyTheseTags)
  const names = text.split(/[,;|]/).map((part) => part.trim())
  return names.filter((name) => name !== '').map((name) => knownTags.find((tag) => plain(tag) === plain(name)) ?? name)
}

const statusWords = Object.fromEntries(
  Object.entries(accountStatuses).map(([status, word]) => [plain(word), Number(status)]),
)
function statusIn(text: string): number {
  const status = /^[0-2]$/.test(text) ? Number(text) : statusWords[plain(text)]
  if (status === undefined) throw unusable('Use Active, Inactive or Blocked as the status.')
  return status
}
