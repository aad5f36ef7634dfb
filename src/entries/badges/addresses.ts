import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from '../../platform/context.ts'
import { keyFor } from '../../platform/crypto/secrets.ts'
import { onceAsync } from '../../shared/async.ts'

export const badgesPath = '/api/v1/badges/'

/** An entry, and how many times its badge address has been renewed. */
type BadgeIdentity = { id: string; version: number }

const [macBytes, ivBytes] = [27, 16]
const settingKey = 'badge_key'
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export type BadgeAddresses = ReturnType<typeof badgeAddresses>

/** Addresses are signed, not stored: they can't be forged and hide ids. Their key survives a new APP_SECRET. */
export function badgeAddresses({ db, secrets, config }: Pick<Context, 'db' | 'secrets' | 'config'>) {
  const keys = onceAsync(() => readKeys({ db, secrets }))
  return {
    of: async (entry: BadgeIdentity): Promise<string> =>
      `${config.baseUrl}${badgesPath}${sign(await keys(), entry)}.svg`,
    /** The entry that a token identifies; undefined if the signature is invalid. */
    read: async (token: string): Promise<BadgeIdentity | undefined> => verify(await keys(), token),
  }
}

type Keys = { mac: Buffer; id: Buffer }

async function readKeys({ db, secrets }: Pick<Context, 'db' | 'secrets'>): Promise<Keys> {
  const value = secrets.seal(randomBytes(32).toString('base64url'), 'setting.value')
  const selectStoredKey = () => db.q.selectFrom('setting').select('value').where('key', '=', settingKey)
  if (!(await selectStoredKey().executeTakeFirst()))
    await db.q
      .insertInto('setting')
      .values({ key: settingKey, value })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .execute()
  const key = secrets.open((await selectStoredKey().executeTakeFirstOrThrow()).value)
  return { mac: keyFor(key, 'badge marks'), id: keyFor(key, 'badge ids') }
}

const macOf = ({ mac }: Keys, plain: Buffer) => createHmac('sha256', mac).update(plain).digest().subarray(0, macBytes)
const ivOf = (mac: Buffer) => mac.subarray(0, ivBytes)

/** The MAC also supplies the IV that encrypts the id, so signing the same entry always returns the same token. */
function sign(keys: Keys, entry: BadgeIdentity): string {
  const plain = pack(entry)
  const mac = macOf(keys, plain)
  const hidden = createCipheriv('aes-256-ctr', keys.id, ivOf(mac)).update(plain)
  return Buffer.concat([mac, hidden]).toString('base64url')
}

function verify(keys: Keys, token: string): BadgeIdentity | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length < macBytes + 5 || bytes.toString('base64url') !== token) return undefined
  const mac = bytes.subarray(0, macBytes)
  const plain = createDecipheriv('aes-256-ctr', keys.id, ivOf(mac)).update(bytes.subarray(macBytes))
  return timingSafeEqual(mac, macOf(keys, plain)) ? unpack(plain) : undefined
}

/** Packs UUIDs as bytes, which keeps the address short, and other ids as text. */
function pack({ id, version }: BadgeIdentity): Buffer {
  const isUuid = uuid.test(id)
  const head = Buffer.alloc(5)
  head.writeUInt8(isUuid ? 1 : 0)
  head.writeUInt32BE(version, 1)
  return Buffer.concat([head, isUuid ? Buffer.from(id.replaceAll('-', ''), 'hex') : Buffer.from(id)])
}

function unpack(plain: Buffer): BadgeIdentity {
  const rest = plain.subarray(5)
  const id =
    plain[0] === 1 ? rest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : rest.toString()
  return { id, version: plain.readUInt32BE(1) }
}
