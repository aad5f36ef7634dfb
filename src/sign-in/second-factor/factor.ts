import { randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import * as z from 'zod/mini'
import { auditAndNotify } from '../../notices/account-changes.ts'
import type { Change } from '../../people/audit/contract.ts'
import type { AuditRecord } from '../../people/audit/log.ts'
import { lockUser, lockUserIfAny } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import { transact } from '../../platform/db/transact.ts'
import type { Actor } from '../../platform/http/access/actor.ts'
import { callerDeleted } from '../../shared/http-error.ts'
import type { Instant } from '../../shared/time.ts'
import type { AuthContext } from '../auth.ts'
import { countAttempt, storedRateLimiter } from '../limits/stored-rate-limit.ts'

type FactorContext = Pick<Context, 'db' | 'now' | 'secrets' | 'notify'>
export type SecondFactorContext = AuthContext & Pick<Context, 'secrets'>
export type Person = { id: string; email: string }

const Codes = z.array(z.string())

const rowOf = (q: Queries, userId: string) =>
  q.selectFrom('second_factor').selectAll().where('user_id', '=', userId).executeTakeFirst()

/** Since when a user has had an authenticator app, and how many recovery codes are left; undefined without an app. */
export async function factorOf({ db, secrets }: FactorContext, userId: string) {
  const row = await rowOf(db.q, userId)
  if (!row?.secret) return undefined
  return { since: row.since ?? 0, codesLeft: codesIn(secrets, row.codes).length }
}

/** Creates a secret and recovery codes that take effect with the app's first code; the current ones stay until then. */
export async function prepareFactor({ db, secrets }: FactorContext, { id, email }: Person) {
  const secret = newSecret()
  const codes = newRecoveryCodes()
  const pendingSecrets = {
    new_secret: secrets.seal(secret, 'second_factor.new_secret'),
    new_codes: secrets.seal(JSON.stringify(codes), 'second_factor.new_codes'),
  }
  const none = { secret: null, codes: null, since: null, last_step: null }
  await transact(db, async (tx) => {
    await lockUser(db, tx, { id }, callerDeleted)
    await tx
      .insertInto('second_factor')
      .values({ user_id: id, ...none, ...pendingSecrets })
      .onConflict((on) => on.column('user_id').doUpdateSet(pendingSecrets))
      .execute()
  })
  return { totpURI: totpUri(secret, email), key: secret, backupCodes: codes }
}

/** Activates the pending secret if the code is right; undefined if none is pending. The caller has locked the user. */
export async function confirmFactor(
  context: FactorContext,
  tx: Queries,
  actor: Actor,
  person: Person,
  code: string,
): Promise<boolean | undefined> {
  const { now, secrets } = context
  const row = await rowOf(tx, person.id)
  if (!row?.new_secret) return undefined
  const step = stepOf(secrets.open(row.new_secret), code, now())
  if (step === undefined) return false
  await tx
    .updateTable('second_factor')
    .set({
      secret: row.new_secret,
      codes: row.new_codes,
      since: now(),
      last_step: step,
      new_secret: null,
      new_codes: null,
    })
    .where('user_id', '=', person.id)
    .execute()
  await recordChange(context, tx, actor, 'factor.on', person)
  return true
}

/** Uses up a code of the app: each works once, and none older than the last one. The caller has locked the user. */
export async function spendAppCode({ now, secrets }: FactorContext, tx: Queries, userId: string, code: string) {
  const row = await rowOf(tx, userId)
  const step = row?.secret ? stepOf(secrets.open(row.secret), code, now()) : undefined
  if (step === undefined || step <= (row?.last_step ?? 0)) return false
  await tx.updateTable('second_factor').set({ last_step: step }).where('user_id', '=', userId).execute()
  return true
}

/** Uses up a recovery code. The caller has locked the user. */
export async function spendRecoveryCode(
  context: FactorContext,
  tx: Queries,
  actor: Actor,
  person: Person,
  code: string,
) {
  const { secrets } = context
  const row = await rowOf(tx, person.id)
  const remaining = row?.secret ? withoutCode(codesIn(secrets, row.codes), code) : undefined
  if (!remaining) return false
  await saveCodes(tx, person.id, secrets.seal(JSON.stringify(remaining), 'second_factor.codes'))
  await recordChange(context, tx, actor, 'factor.code', person)
  return true
}

export async function renewRecoveryCodes(context: FactorContext, actor: Actor, person: Person) {
  const { db, secrets } = context
  const codes = newRecoveryCodes()
  await transact(db, async (tx) => {
    await saveCodes(tx, person.id, secrets.seal(JSON.stringify(codes), 'second_factor.codes'))
    await recordChange(context, tx, actor, 'factor.codes', person)
  })
  return codes
}

export async function removeFactor(context: FactorContext, actor: Actor, person: Person): Promise<void> {
  await transact(context.db, async (tx) => {
    await tx.deleteFrom('second_factor').where('user_id', '=', person.id).execute()
    await recordChange(context, tx, actor, 'factor.off', person)
  })
}

const saveCodes = (tx: Queries, userId: string, codes: string) =>
  tx.updateTable('second_factor').set({ codes }).where('user_id', '=', userId).execute()

const codesIn = (secrets: FactorContext['secrets'], sealed: string | null) =>
  sealed === null ? [] : Codes.parse(JSON.parse(secrets.open(sealed)))

/** Logs a change to a user's factors, and notifies them. */
export const recordChange = (
  { now, notify }: Pick<Context, 'now' | 'notify'>,
  tx: Queries,
  actor: Actor,
  action: Extract<AuditRecord['action'], `factor.${string}` | `passkey.${string}`>,
  { id, email }: Person,
  changes: readonly Change[] = [],
) => auditAndNotify({ notify }, tx, now(), id, { actor, action, target: { id, name: email }, changes })

const recoveryCodeCount = 10
/** Omits letters and digits that look alike. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
const half = () => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('')

/** New recovery codes, such as `k7mqd-2xw9p`: about 50 bits each. */
export const newRecoveryCodes = (): string[] => Array.from({ length: recoveryCodeCount }, () => `${half()}-${half()}`)

/** The codes left after using this one; undefined if it isn't one of them. Ignores case, spaces and hyphens. */
export function withoutCode(codes: readonly string[], input: string): string[] | undefined {
  const typed = plain(input)
  const remaining = codes.filter((code) => plain(code) !== typed)
  return remaining.length < codes.length ? remaining : undefined
}

const plain = (code: string) => code.toLowerCase().replaceAll(/[\s-]/g, '')

/** 160 bits, as RFC 4226 recommends. */
const secretBytes = 20

/** Six-digit codes that change every 30 seconds, by RFC 6238 with SHA-1, which every app supports. */
const totp = (secret: string, account = '') =>
  new TOTP({ issuer: 'ToolBox', label: account, secret, algorithm: 'SHA1', digits: 6, period: 30 })

/** A new secret in base32, as apps expect it. */
export const newSecret = (): string => new Secret({ size: secretBytes }).base32

export const totpUri = (secret: string, account: string): string => totp(secret, account).toString()

/** The 30-second step of a code: the current one, or a neighbor if a clock is off; undefined for a wrong code. */
export function stepOf(secret: string, code: string, now: Instant): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const codes = totp(secret)
  const steps = codes.validate({ token: code, timestamp: now, window: 1 })
  return steps === null ? undefined : codes.counter({ timestamp: now }) + steps
}

/** Maximum wrong codes per user in 15 minutes, wherever they are entered; after that, no code is checked. */
const mostWrong = 5

/** Checks each user's codes one at a time, and counts the wrong ones. */
export function codeCheck(
  context: AuthContext & FactorContext,
  /** Wrong codes in a proof are counted separately, so that a stolen session can't lock its user out of signing in. */
  purpose: 'sign-in' | 'proof',
) {
  const { db } = context
  const wrong = storedRateLimiter(context, { most: mostWrong, refusal: 'Too many wrong codes.' })
  /** Runs `use` under the user's lock. Throws a 429 after too many wrong codes. Only false counts as wrong. */
  return async <Result>(userId: string, use: (tx: Queries) => Promise<Result | false>): Promise<Result | false> => {
    const key = `${purpose === 'proof' ? 'proof-code' : 'code'}:${userId}`
    const result = await countAttempt([{ limiter: wrong, key }], () =>
      transact(db, async (tx) => {
        await lockUserIfAny(db, tx, { id: userId })
        return use(tx)
      }),
    )
    if (result !== false) await wrong.forget(key)
    return result
  }
}
export type CodeCheck = ReturnType<typeof codeCheck>
