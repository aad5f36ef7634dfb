import type * as z from 'zod/mini'
import { changesBetween } from '../../people/audit/fields.ts'
import type { Db } from '../../platform/db/open.ts'
import { type About, isDraft, planRows, type RefusedStep, type Spot } from '../../platform/imports/import-file.ts'
import { HttpError } from '../../shared/http-error.ts'
import { Active, accessLevels, accountStatuses, type RoleName, roleNames } from '../../shared/user.ts'
import { locksOut, ownAccount } from '../bulk/on-many.ts'
import { CreateUserBody, type ListedUser, PatchUserBody } from '../contract.ts'
import { listedUsers, toListedUser } from '../list/listed-user.ts'
import type { UserDraft, UserRow } from './read.ts'

/** What becomes of a row. */
export type Step =
  | RefusedStep
  | (Spot &
      About &
      (
        | { outcome: 'created'; body: CreateUserBody }
        | { outcome: 'changed'; body: PatchUserBody; why: string }
        | { outcome: 'same' }
      ))

/** What would become of all rows, by who is there now; `callerId` is whose own account must not be locked out. */
export async function planOf(db: Db, callerId: string, rows: readonly UserRow[]): Promise<Step[]> {
  const present = await presentOf(db, rows.filter(isDraft))
  const seen = { email: new Map<string, number>(), username: new Map<string, number>() }
  return planRows(
    rows,
    ({ body }) => ({ what: body.email.slice(0, 200) }),
    (draft, about): Step => ({ ...about, ...outcomeOf(draft, present, seen, callerId) }),
  )
}

type Present = { byEmail: ReadonlyMap<string, ListedUser>; byUsername: ReadonlyMap<string, string> }

async function presentOf(db: Db, drafts: readonly UserDraft[]): Promise<Present> {
  const emails = drafts.map(({ body }) => body.email)
  const usernames = drafts.flatMap(({ body }) => usernameIn(body) ?? [])
  const users = await listedUsers(db.q).where(db.isOneOf('email', emails)).execute()
  const holders = db.q.selectFrom('users').select(['id', 'cred_username']).where(db.isOneOf('cred_username', usernames))
  return {
    byEmail: new Map(users.map((row) => [row.email, toListedUser(row, [])])),
    byUsername: new Map((await holders.execute()).map((row) => [row.cred_username ?? '', row.id])),
  }
}

const usernameIn = ({ credUsername }: UserDraft['body']) =>
  typeof credUsername === 'string' ? credUsername.toLowerCase() : undefined

type Seen = { email: Map<string, number>; username: Map<string, number> }
const refused = (why: string) => new HttpError(400, why)

/** Throws an HttpError that says why nothing may become of it. */
function outcomeOf({ line, body }: Spot & UserDraft, { byEmail, byUsername }: Present, seen: Seen, callerId: string) {
  const once = (field: keyof Seen, value: string) => {
    const twin = seen[field].get(value)
    if (twin !== undefined) throw refused(`The same ${field} as on line ${twin}.`)
    seen[field].set(value, line)
  }
  once('email', body.email)
  const before = byEmail.get(body.email)
  const username = usernameIn(body)
  if (username !== undefined) {
    once('username', username)
    const holder = byUsername.get(username)
    if (holder !== undefined && holder !== before?.id) throw refused('This username is already in use.')
  }
  if (!before) return { outcome: 'created' as const, body: parsed(CreateUserBody, body) }
  const change = parsed(PatchUserBody, { ...body, id: before.id })
  const why = changesInWords(before, change)
  if (why === '') return { outcome: 'same' as const }
  if (before.id === callerId && locksOut(change)) throw refused(ownAccount)
  return { outcome: 'changed' as const, body: change, why }
}

function parsed<Body extends z.ZodMiniType>(Body: Body, given: object): z.output<Body> {
  const { data, error } = Body.safeParse(given)
  if (error) throw refused(error.issues[0]?.message ?? 'Not valid.')
  return data
}

/** The fields as an admin reads them. */
function wordsOf({ name, status, tags, roles, credUsername }: Omit<PatchUserBody, 'id'>): Record<string, string> {
  const statuses: Readonly<Record<number, string>> = accountStatuses
  const levelOf = (role: RoleName) => accessLevels[roles?.[role] ?? 0]
  return {
    Name: name ?? '',
    Username: credUsername ?? 'none',
    Status: statuses[status ?? Active] ?? '',
    Tags: tags?.toSorted().join(', ') || 'none',
    ...Object.fromEntries(roleNames.map((role) => [role, levelOf(role)])),
  }
}

/** What differs, such as `Status: Active → Blocked`; empty if nothing does. */
function changesInWords(user: ListedUser, { id: _, ...body }: PatchUserBody): string {
  const { name, status, credUsername, roles } = user
  // What is stored was checked when it came.
  const before = { name, status, credUsername, roles, tags: user.tags } as Omit<PatchUserBody, 'id'>
  const after = { ...before, ...body, roles: { ...roles, ...body.roles } }
  const changes = changesBetween(wordsOf(before), wordsOf(after))
  return changes.map(({ field, from, to }) => `${field}: ${from} → ${to}`).join('; ')
}
