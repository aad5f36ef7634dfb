import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { ConfigError } from '../config/env.ts'
import type { Db } from '../db/open.ts'

/** Encryption at rest with a key derived from APP_SECRET. */
export type Secrets = {
  /** Encrypts and authenticates a text for this column. The result is text and differs each time. */
  seal(plain: string, column: SealedColumn): string
  /** Throws if the text was sealed neither with this APP_SECRET nor with the previous one. */
  open(sealed: string): string
  /** The same for messages between instances, with a separate key. */
  messages: { seal(plain: string): string; open(sealed: string): string }
  /** Returns a text, such as JSON, with everything sealed by the previous APP_SECRET sealed by the current one. */
  reseal(text: string): string
}

const prefix = 'v1.'
const [ivBytes, tagBytes] = [12, 16]
/** A whole text, or a whole string in JSON: a part of a user's text may look alike. */
const sealedText = /(?<=^|(?<!\\)")v1\.[\w-]{38,}(?=$|")/g

export const sealedIn = (text: string): readonly string[] => text.match(sealedText) ?? []

/** The hash by which a token or an address is looked up. A secret token itself is stored sealed or not at all. */
export const hashOf = (text: string): string => hash('sha256', text)

/** Compares hashes, so that timing reveals nothing about either text. */
export const isSameText = (one: string, other: string): boolean =>
  timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))

/** Derives a key for one purpose: if one leaks, the others stay secret. */
export const keyFor = (appSecret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', appSecret, '', `toolbox ${purpose}`, 32))

type Secret = { appSecret: string; previousAppSecret?: string | undefined }

/** Seals with the current APP_SECRET; opens text sealed with this or the previous one. */
export function openSecrets({ appSecret, previousAppSecret }: Secret): Secrets {
  const purpose = 'encryption at rest v1'
  const current = sealer(appSecret, purpose)
  const previous = previousAppSecret === undefined ? undefined : sealer(previousAppSecret, purpose)
  const openBy = ({ open }: typeof current, sealed: string) => {
    try {
      return { plain: open(sealed) }
    } catch (error) {
      return { error }
    }
  }
  return {
    seal: current.seal,
    open(sealed) {
      const opened = openBy(current, sealed)
      if (opened.plain !== undefined) return opened.plain
      if (!previous) throw opened.error
      return previous.open(sealed)
    },
    messages: sealer(appSecret, 'messages between instances v1'),
    reseal: (text) =>
      text.replace(sealedText, (sealed) => {
        const plain = previous && openBy(previous, sealed).plain
        return plain === undefined ? sealed : current.seal(plain)
      }),
  }
}

/** AES-256-GCM. A sealed text is `v1.` followed by the base64url of IV, tag and ciphertext. */
function sealer(appSecret: string, purpose: string) {
  const key = keyFor(appSecret, purpose)
  return {
    seal(plain: string): string {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return prefix + Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')
    },
    open(sealed: string): string {
      if (!sealed.startsWith(prefix)) throw new Error('This text was not sealed by ToolBox.')
      const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url')
      if (bytes.length < ivBytes + tagBytes) throw new Error('The sealed text is cut short.')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
      return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}

/** The setting that contains a known word, sealed with the installation's APP_SECRET. */
export const canaryKey = 'secret_canary'

/** Throws a ConfigError unless APP_SECRET opens the sealed word in the database; seals one if there is none. */
export async function verifySecret({ q }: Pick<Db, 'q'>, secrets: Secrets): Promise<void> {
  await q
    .insertInto('setting')
    .values({ key: canaryKey, value: secrets.seal(canaryKey, 'setting.value') })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  const { value } = await q.selectFrom('setting').select('value').where('key', '=', canaryKey).executeTakeFirstOrThrow()
  if (canOpen(secrets, value)) return
  throw new ConfigError([
    'APP_SECRET is not the one this database was encrypted with. Set the right one, or put the app-secret file back into DATA_DIR. To change it, also set the old one as APP_SECRET_PREVIOUS until `npm run toolbox -- rotate-secret` has finished.',
  ])
}

export function canOpen(secrets: Secrets, sealed: string): boolean {
  try {
    secrets.open(sealed)
    return true
  } catch {
    return false
  }
}

/**
 * Every column with sealed text, alone or within JSON, and its table's key. `seal` accepts only these, so
 * `rotate-secret` finds all. The sign-in library stores no sealed text: we keep no provider tokens.
 */
export const sealedColumns = {
  'entry.settings': 'id',
  'channel.settings': 'id',
  'second_factor.secret': 'user_id',
  'second_factor.codes': 'user_id',
  'second_factor.new_secret': 'user_id',
  'second_factor.new_codes': 'user_id',
  /** The canary. It is last because a start without the previous secret is refused until it is sealed again. */
  'setting.value': 'key',
} as const
type SealedColumn = keyof typeof sealedColumns
