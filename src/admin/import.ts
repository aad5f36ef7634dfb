import type * as z from 'zod/mini'
import { changesBetween } from '../people/audit/log.ts'
import { knownTagsMessage } from '../people/contract.ts'
import type { Context } from '../platform/context.ts'
import type { Db } from '../platform/db/open.ts'
import { forEachId } from '../platform/for-each-id.ts'
import { type ActingUserWithRecheck, actingUserWithRecheck } from '../platform/http/access/actor.ts'
import { guard, requireRecentProof } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import {
  type ImportRow,
  importFile,
  isDraft,
  planRows,
  type RefusedStep,
  type RowPosition,
  type RowSubject,
} from '../platform/imports/import-file.ts'
import { importRoute } from '../platform/imports/route.ts'
import { normalizeName, readTable } from '../platform/imports/rows.ts'
import { HttpError } from '../shared/http-error.ts'
import { canonicalEmail } from '../shared/schemas/email.ts'
import { ImportLine, importReportOf, refusedImportOf } from '../shared/schemas/import-report.ts'
import {
  Active,
  accessLevels,
  accountStatuses,
  knownTags,
  type RoleName,
  roleNames,
  statusText,
} from '../shared/user.ts'
import { ownAccountMessage, wouldLockOut } from './bulk.ts'
import { CreateUserBody, type ListedUser, PatchUserBody } from './contract.ts'
import { addUser, changeUser, type EditContext } from './edit.ts'
import { selectListedUsers, toListedUser } from './store.ts'

type ImportContext = EditContext & Pick<Context, 'log' | 'importTurns'>

/** Registers the call that creates and changes users from a table, by the rules of the single-user calls. */
export function importUsersRoute(app: App, context: ImportContext): void {
  const call = {
    path: importUsersPath,
    access: guard('Admin', 2, 'never'),
    types: ['text/csv', 'text/plain'],
    otherType: 'Send the body as text/csv.',
    most: largestFile,
    tags: ['Users'],
    summary: 'Import users from a table',
    description: [
      'The body is a table whose first line names its columns: email, name, username, roles (such as “Admin 2,',
      'Tools 1”; or tools and admin with a level each), tags and status. Empty cells change nothing. A row with the',
      'email of an existing user changes that user. If any line is refused, nothing is imported and the response is',
      'a 400 with the report, unless `skip` leaves such lines out. `dry` only returns the report.',
    ].join(' '),
    failures: [403],
    Answer: ImportUsersReport,
    Refused: RefusedUsersImport,
  }
  importRoute(app, context, call, (request, file) => {
    const acting = actingUserWithRecheck(request)
    return importFile(file, {
      read: readUsers,
      plan: (rows) => planOf(context.db, acting.user.id, rows),
      async write(steps) {
        requireRecentProof(request)
        return writeSteps(context, acting, steps)
      },
    })
  })
}

/** Writes row by row, so as not to block other requests; a row that has become invalid is reported as refused. */
async function writeSteps(
  context: ImportContext,
  { actor, recheckAccess }: ActingUserWithRecheck,
  steps: readonly Step[],
): Promise<Step[]> {
  const written = steps.filter(({ outcome }) => outcome === 'created' || outcome === 'changed')
  const byLine = new Map(written.map((step) => [String(step.line), step]))
  const { refused, unchanged } = await forEachId(context, recheckAccess, [...byLine.keys()], async (line) => {
    const step = byLine.get(line)
    if (step?.outcome === 'created') await addUser(context, actor, step.body)
    if (step?.outcome !== 'changed') return undefined
    return { unchanged: (await changeUser(context, actor, step.body, () => {})) === 'same' }
  })
  const whys = new Map(refused.map(({ id, why }) => [id, why]))
  return steps.map((step) => {
    const { line, what } = step
    const why = whys.get(String(line))
    if (why !== undefined) return { line, what, outcome: 'refused', why }
    return unchanged.includes(String(line)) ? { line, what, outcome: 'same' } : step
  })
}

type Step =
  | RefusedStep
  | (RowPosition &
      RowSubject &
      (
        | { outcome: 'created'; body: CreateUserBody }
        | { outcome: 'changed'; body: PatchUserBody; why: string }
        | { outcome: 'same' }
      ))

/** Plans each row's outcome from the current users; refuses rows that would lock out the caller, `callerId`. */
async function planOf(db: Db, callerId: string, rows: readonly UserRow[]): Promise<Step[]> {
  const existing = await loadExistingUsers(db, rows.filter(isDraft))
  const seen = { email: new Map<string, number>(), username: new Map<string, number>() }
  return planRows(
    rows,
    ({ body }) => ({ what: body.email.slice(0, 200) }),
    (draft, about): Step => ({ ...about, ...outcomeOf(draft, existing, seen, callerId) }),
  )
}

type ExistingUsers = { byEmail: ReadonlyMap<string, ListedUser>; byUsername: ReadonlyMap<string, string> }

async function loadExistingUsers(db: Db, drafts: readonly UserDraft[]): Promise<ExistingUsers> {
  const emails = drafts.map(({ body }) => body.email)
  const usernames = drafts.flatMap(({ body }) => usernameIn(body) ?? [])
  const users = await selectListedUsers(db.q).where(db.isOneOf('email', emails)).execute()
  const holders = db.q.selectFrom('users').select(['id', 'cred_username']).where(db.isOneOf('cred_username', usernames))
  return {
    byEmail: new Map(users.map((row) => [row.email, toListedUser(row, [])])),
    byUsername: new Map((await holders.execute()).map((row) => [row.cred_username ?? '', row.id])),
  }
}

const usernameIn = ({ credUsername }: UserDraft['body']) =>
  typeof credUsername === 'string' ? credUsername.toLowerCase() : undefined

type Seen = { email: Map<string, number>; username: Map<string, number> }

/** Throws an HttpError with the reason if the row can't be imported. */
function outcomeOf(
  { line, body }: RowPosition & UserDraft,
  { byEmail, byUsername }: ExistingUsers,
  seen: Seen,
  callerId: string,
) {
  const requireUnique = (field: keyof Seen, value: string) => {
    const twin = seen[field].get(value)
    if (twin !== undefined) throw invalidRow(`The same ${field} as on line ${twin}.`)
    seen[field].set(value, line)
  }
  requireUnique('email', body.email)
  const before = byEmail.get(body.email)
  const username = usernameIn(body)
  if (username !== undefined) {
    requireUnique('username', username)
    const holder = byUsername.get(username)
    if (holder !== undefined && holder !== before?.id) throw invalidRow('This username is already in use.')
  }
  if (!before) return { outcome: 'created' as const, body: parseBody(CreateUserBody, body) }
  const change = parseBody(PatchUserBody, { ...body, id: before.id })
  const why = describeChanges(before, change)
  if (why === '') return { outcome: 'same' as const }
  if (before.id === callerId && wouldLockOut(change)) throw invalidRow(ownAccountMessage)
  return { outcome: 'changed' as const, body: change, why }
}

function parseBody<Body extends z.ZodMiniType>(Body: Body, input: object): z.output<Body> {
  const { data, error } = Body.safeParse(input)
  if (error) throw invalidRow(error.issues[0]?.message ?? 'Not valid.')
  return data
}

type UserFields = Omit<PatchUserBody, 'id'>

function describeFields({ name, status, tags, roles, credUsername }: UserFields): Record<string, string> {
  const levelOf = (role: RoleName) => accessLevels[roles?.[role] ?? 0]
  return {
    Name: name ?? '',
    Username: credUsername ?? 'none',
    Status: statusText(status ?? Active),
    Tags: tags?.toSorted().join(', ') || 'none',
    ...Object.fromEntries(roleNames.map((role) => [role, levelOf(role)])),
  }
}

/** Lists the differences, such as `Status: Active → Blocked`; empty if there are none. */
function describeChanges(user: ListedUser, { id: _, ...body }: PatchUserBody): string {
  const { name, status, credUsername, roles, tags } = user
  // The cast is safe: stored values were validated when saved.
  const before = { name, status, credUsername, roles, tags } as UserFields
  const after = { ...before, ...body, roles: { ...roles, ...body.roles } }
  const changes = changesBetween(describeFields(before), describeFields(after))
  return changes.map(({ field, from, to }) => `${field}: ${from} → ${to}`).join('; ')
}

const importUsersPath = '/api/v1/admin/users/import'

const largestFile = 2 * 1_024 * 1_024
const mostInFile = 5_000

const ImportUsersReport = importReportOf(ImportLine)
const RefusedUsersImport = refusedImportOf(ImportUsersReport)

/** A row as the body of the single-user call, without the fields that the row leaves empty. */
type UserDraft = { body: Readonly<Record<string, unknown>> & { email: string } }
type UserRow = ImportRow<UserDraft>

const fields = ['email', 'name', 'username', 'roles', 'tools', 'admin', 'tags', 'status'] as const
type Field = (typeof fields)[number]
/** Column titles in the CSV export of the list that differ from the field names. */
const columnAliases: ReadonlyMap<string, Field> = new Map([
  ['accountname', 'name'],
  ['credusername', 'username'],
])
/** Columns of that export that can't be imported and are skipped. */
const skippedColumns = ['userid', 'id', 'lastusagetimestamp', 'providers', 'lastsignin']

/** Parses a table of users whose first row names the columns. Throws UnreadableFile. */
const readUsers = (text: Buffer): Promise<UserRow[]> =>
  readTable(text, {
    columnOf,
    names: fields,
    needed: 'email',
    most: mostInFile,
    rowNoun: 'users',
    aboutOf: ({ email, name = '' }) => ({ what: (email ?? name).slice(0, 200) }),
    draftOf,
  })

/** The field of a column: null if the column is skipped, undefined if it is unknown. */
function columnOf(cell: string): Field | null | undefined {
  const name = normalizeName(cell)
  return (
    fields.find((one) => one === name) ?? columnAliases.get(name) ?? (skippedColumns.includes(name) ? null : undefined)
  )
}

const isDash = (text: string) => text === '–' || text === '-'

const invalidRow = (why: string) => new HttpError(400, why)

function draftOf(row: Partial<Record<Field, string>>): UserDraft {
  const { email, name, username, tags, status } = row
  if (email === undefined) throw invalidRow('Enter an email.')
  const roles = { ...parseRoleList(row.roles), ...parseLevel('Tools', row.tools), ...parseLevel('Admin', row.admin) }
  return {
    body: {
      // Normalized as in storage. An invalid email stays as typed: normalizing could turn it into a valid one.
      email: canonicalEmail(email) ?? email,
      ...(name !== undefined && { name }),
      ...(username !== undefined && !isDash(username) && { credUsername: username }),
      ...(Object.keys(roles).length > 0 && { roles }),
      ...(tags !== undefined && { tags: parseTagList(tags) }),
      ...(status !== undefined && { status: parseStatus(status) }),
    },
  }
}

/** Returns the number of one of these words; a number from 0 to 2 stands for itself. */
function numberOf(words: Readonly<Record<number, string>>, text: string): number | undefined {
  if (/^[0-2]$/.test(text)) return Number(text)
  const found = Object.entries(words).find(([, word]) => normalizeName(word) === normalizeName(text))
  return found && Number(found[0])
}

function parseLevel(role: RoleName, text: string | undefined): { [Role in RoleName]?: number } {
  if (text === undefined) return {}
  const level = numberOf(accessLevels, text)
  if (level === undefined) throw invalidRow(`Use 0, 1 or 2 for ${role}.`)
  return { [role]: level }
}

/** The most characters in a list of roles or tags; a list of all of them is shorter. */
const longestList = 200

/** Parses roles such as `Admin 2, Tools 1`; a dash means no roles. */
function parseRoleList(text: string | undefined): { [Role in RoleName]?: number } {
  if (text === undefined) return {}
  if (isDash(text)) return { Admin: 0, Tools: 0 }
  if (text.length > longestList) throw invalidRow('Use roles such as Admin 2, Tools 1.')
  const parts = text.split(/[,;]/).map((part) => /^\s*([a-z]+)[\s:=]*(.*?)\s*$/i.exec(part) ?? [])
  return Object.assign(
    {},
    ...parts.map(([, name = '', level = '']) => {
      const role = roleNames.find((one) => normalizeName(one) === normalizeName(name))
      if (!role || level === '') throw invalidRow('Use roles such as Admin 2, Tools 1.')
      return parseLevel(role, level)
    }),
  )
}

function parseTagList(text: string): string[] {
  if (isDash(text)) return []
  if (text.length > longestList) throw invalidRow(knownTagsMessage)
  const names = text.split(/[,;|]/).map((part) => part.trim())
  return names
    .filter((name) => name !== '')
    .map((name) => knownTags.find((tag) => normalizeName(tag) === normalizeName(name)) ?? name)
}

function parseStatus(text: string): number {
  const status = numberOf(accountStatuses, text)
  if (status === undefined) throw invalidRow('Use Active, Inactive or Blocked as the status.')
  return status
}
