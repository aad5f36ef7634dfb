import { type ExpressionBuilder, sql } from 'kysely'
import type { Context } from '../../platform/context.ts'
import { groupCommit } from '../../platform/db/group-commit.ts'
import type { Db, Queries } from '../../platform/db/open.ts'
import { countRows } from '../../platform/db/rows/read.ts'
import { deleteInBatches } from '../../platform/db/rows/write.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { transact } from '../../platform/db/transact.ts'
import type { Origin } from '../../platform/http/access/actor.ts'
import { networksOf } from '../../platform/net/networks.ts'
import { HttpError } from '../../shared/http-error.ts'
import { days, type Instant, type Milliseconds, minutes } from '../../shared/time.ts'
import type { AuditEntry, FailureReason } from './contract.ts'
import { writeAudit } from './log.ts'

/** The account of the attempt; undefined for an unknown username. */
type Who = { id: string } | undefined

export type SignInTrail = ReturnType<typeof signInTrail>

/** Records every successful and failed sign-in in the audit log. */
export function signInTrail({ db, now }: Pick<Context, 'db' | 'now'>) {
  // Failures are written in batches, so that a flood of them stays cheap.
  const failures = groupCommit(db, {
    most: mostAtOnce,
    write: (group: readonly Failure[]) => writeFailures(db, group, now()),
  })
  const recordFailure = async (user: Who, origin: Origin, why: FailureReason): Promise<void> => {
    await failures.add({ user: user && { id: user.id, name: await emailOf(db.q, user.id) }, origin, why })
  }
  return {
    /** Records a failure: `code` means a wrong second factor, `refused` an account that may not sign in. */
    recordFailure,
    /** Records a new session, with the method of a one-step sign-in or the second factor of a two-step one. */
    async recordSuccess(
      { id }: { id: string },
      origin: Origin,
      how: { method: string } | { factor: string },
    ): Promise<void> {
      const changes = Object.entries(how).map(([field, to]) => ({ field, from: null, to }))
      const actor = { id, name: await emailOf(db.q, id), ...origin }
      await writeAudit(db.q, now(), { actor, action: 'session.start', changes })
    },
    /** Runs a check of a password or code; records a failure as `why` if it returns false, as limited on a 429. */
    async checkAndRecord(
      user: Who,
      origin: Origin,
      why: 'wrong' | 'code',
      check: () => Promise<boolean>,
    ): Promise<boolean> {
      const right = await check().catch(async (error: unknown) => {
        if (error instanceof HttpError && error.status === 429) await recordFailure(user, origin, 'limited')
        throw error
      })
      if (!right) await recordFailure(user, origin, why)
      return right
    },
    drained: failures.drained,
  }
}

/** The email of a user, or the given id if the user has been deleted. */
export async function emailOf(q: Queries, id: string): Promise<string> {
  return (await q.selectFrom('users').select('email').where('id', '=', id).executeTakeFirst())?.email ?? id
}

/** Failures of one account from one network within this time share a row. */
const span: Milliseconds = minutes(15)
const keptFor: Milliseconds = days(30)
/** Maximum rows per span; after that, failures from further networks share one row per account. */
export const mostRows = 500
const manyNetworks = '*'
const mostAtOnce = 500

/** `user` is undefined for an unknown username, which isn't stored: it may be a password typed into the wrong field. */
type Failure = { user: { id: string; name: string } | undefined; origin: Origin; why: FailureReason }

type Row = Tables['sign_in_failure']
type Counts = Record<FailureReason, number>

async function writeFailures(db: Db, group: readonly Failure[], at: Instant) {
  await transact(db, async (tx) => {
    for (const row of rowsOf(group, at)) await addFailures(tx, row)
  })
  return group
}

/** One row per account and network of these failures, sorted so that all instances lock rows in the same order. */
function rowsOf(group: readonly Failure[], at: Instant): Row[] {
  const rows = new Map<string, Row>()
  for (const { user, origin, why } of group) {
    const { address, device } = origin
    const [user_id, network] = [user?.id ?? '', networksOf(address ?? '').at(-1) ?? '']
    const key = `${user_id} ${network}`
    const none: Counts = { wrong: 0, code: 0, limited: 0, refused: 0 }
    const times = { began_at: at - (at % span), at, last_at: at }
    const row = rows.get(key) ?? { user_id, network, ...times, ...none, name: user?.name ?? null, address, device }
    rows.set(key, { ...row, address, device, [why]: row[why] + 1 })
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

async function addFailures(tx: Queries, row: Row): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('sign_in_failure')
    .set((eb) => addCounts(eb, row))
    .where('began_at', '=', row.began_at)
    .where('user_id', '=', row.user_id)
    .where('network', '=', row.network)
    .executeTakeFirst()
  if (numUpdatedRows > 0) return
  const rows = await countRows(tx.selectFrom('sign_in_failure').where('began_at', '=', row.began_at))
  await tx
    .insertInto('sign_in_failure')
    .values(rows < mostRows ? row : { ...row, network: manyNetworks })
    .onConflict((on) => on.columns(['began_at', 'user_id', 'network']).doUpdateSet((eb) => addCounts(eb, row)))
    .execute()
}

const addCounts = (
  eb: ExpressionBuilder<Tables, 'sign_in_failure'>,
  { wrong, code, limited, refused, last_at, address, device }: Row,
) => ({
  wrong: eb('sign_in_failure.wrong', '+', wrong),
  code: eb('sign_in_failure.code', '+', code),
  limited: eb('sign_in_failure.limited', '+', limited),
  refused: eb('sign_in_failure.refused', '+', refused),
  last_at,
  address,
  device,
})

const toEntry = (row: Row): AuditEntry => {
  const counts = (['wrong', 'code', 'limited', 'refused'] as const).filter((why) => row[why] > 0)
  const changes = counts.map((why) => ({ field: why as string, from: null, to: row[why] }))
  if (row.last_at > row.at) changes.push({ field: 'until', from: null, to: row.last_at })
  const isOne = row.network !== manyNetworks
  return {
    id: `${row.began_at} ${row.user_id} ${row.network}`,
    at: row.at,
    actor: row.name ?? 'Unknown username',
    actorId: row.user_id || null,
    action: 'session.fail',
    target: null,
    targetId: null,
    changes,
    address: isOne ? row.address : 'Many networks',
    device: isOne ? row.device : null,
  }
}

/** Failed sign-ins as audit log entries, newest first; only those of `userId` if given. */
export async function readFailures(
  q: Queries,
  { before, at, limit, userId }: { before?: Instant; at?: Instant; limit?: number; userId?: string },
): Promise<AuditEntry[]> {
  let query = q.selectFrom('sign_in_failure').selectAll().orderBy('at', 'desc')
  if (userId !== undefined) query = query.where('user_id', '=', userId)
  if (before !== undefined) query = query.where('at', '<', before)
  if (at !== undefined) query = query.where('at', '=', at)
  if (limit !== undefined) query = query.limit(limit)
  return (await query.execute()).map(toEntry)
}

export async function deleteOldFailures(q: Queries, now: Instant): Promise<void> {
  const key = ['began_at', 'user_id', 'network'] as const
  await deleteInBatches(q, 'sign_in_failure', { key: [...key], where: sql`at < ${now - keptFor}` })
}
