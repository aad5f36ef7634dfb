import type * as z from 'zod/mini'
import { changesBetween } from '../../people/audit/fields.ts'
import type { Db } from '../../platform/db/open.ts'
import { pacer } from '../../platform/imports/pacer.ts'
import { Active, accessLevels, accountStatuses, type RoleName, roleNames } from '../../shared/user.ts'
import { locksOut, ownAccount } from '../bulk/on-many.ts'
import { CreateUserBody, type ListedUser, PatchUserBody } from '../contract.ts'
import { listedUsers, toListedUser } from '../list/listed-user.ts'
import { isDraft, type UserDraft, type UserFinding } from './read.ts'

type Told = { line: number; what: string }
/** What becomes of a row. */
export type Step = Told &
  (
    | { outcome: 'created'; body: CreateUserBody }
    | { outcome: 'changed'; body: PatchUserBody; why: string }
    | { outcome: 'same'; why?: string }
    | { outcome: 'refused'; why: string }
  )

/** What would become of all rows, by who is there now; `callerId` is whose own account must not be locked out. */
export async function planOf(db: Db, callerId: string, findings: readonly UserFinding[]): Promise<Step[]> {
  const pause = pacer()
  const drafts = findings.filter(isDraft)
  const present = await presentOf(db, drafts)
  const seen = { email: new Map<string, number>(), username: new Map<string, number>() }
  const steps: Step[] = []
  for (const finding of findings) {
    await pause()
    steps.push(isDraft(finding) ? stepOf(finding, present, seen, callerId) : { ...finding, outcome: 'refused' })
  }
  return steps
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

function stepOf(draft: UserDraft, { byEmail, byUsername }: Present, seen: Seen, callerId: string): Step {
  const { line, body } = draft
  const told = { line, what: body.email.slice(0, 200) }
  const refused = (why: string): Step => ({ ...told, outcome: 'refused', why })
  const twin = seen.email.get(body.email)
  if (twin !== undefined) return refused(`The same email as on line ${twin}.`)
  seen.email.set(body.email, line)
  const before = byEmail.get(body.email)
  const username = usernameIn(body)
  if (username !== undefined) {
    const other = seen.username.get(username)
    if (other !== undefined) return refused(`The same username as on line ${other}.`)
    seen.username.set(username, line)
    const holder = byUsername.get(username)
    if (holder !== undefined && holder !== before?.id) return refused('This username is already in use.')
  }
  if (!before) {
    const { data, error } = CreateUserBody.safeParse(body)
    return data ? { ...told, outcome: 'created', body: data } : refused(reasonOf(error))
  }
  const { data, error } = PatchUserBody.safeParse({ ...body, id: before.id })
  if (!data) return refused(reasonOf(error))
  const why = changesInWords(before, data)
  if (why === '') return { ...told, outcome: 'same' }
  if (before.id === callerId && locksOut(data)) return refused(ownAccount)
  return { ...told, outcome: 'changed', body: data, why }
}

function reasonOf({ issues }: z.core.$ZodError): string {
  const [issue] = issues
  return issue?.message ?? 'Not valid.'
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
