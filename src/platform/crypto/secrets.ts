import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'
import { ConfigError } from '../config/env.ts'
import type { Db } from '../db/open.ts'

/** Encryption at rest with a key derived from APP_SECRET. */
export type Secrets = {
  /** Authenticated encryption, for this column; the answer is text and differs each time. */
  seal(plain: string, column: SealedColumn): string
  /** Throws if the text was sealed neither with this APP_SECRET nor with the previous one. */
  open(sealed: string): string
  /** The same for what instances tell each other, with a key of its own. */
  messages: { seal(plain: string): string; open(sealed: string): string }
  /** A text, such as JSON, in which all that the previous APP_SECRET sealed is sealed with the present one. */
  sealAnew(text: string): string
}

const prefix = 'v1.'
const [ivBytes, tagBytes] = [12, 16]
/** A sealed text within another. */
const sealedText = /v1\.[\w-]{38,}/g

/** The sealed texts within a text, such as JSON. */
export const sealedIn = (text: string): readonly string[] => text.match(sealedText) ?? []

/** By which a token or an address is found. A secret token itself is stored sealed or not at all. */
export const hashOf = (text: string): string => hash('sha256', text)

/** A key for one purpose: if one leaks, the others stay secret. */
export const keyFor = (appSecret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', appSecret, '', `toolbox ${purpose}`, 32))

type Secret = { appSecret: string; previousAppSecret?: string | undefined }

/** Seals with APP_SECRET, and opens what either this or the previous one has sealed. */
export function openSecrets({ appSecret, previousAppSecret }: Secret): Secrets {
  const purpose = 'encryption at rest v1'
  const present = sealing(appSecret, purpose)
  const previous = previousAppSecret === undefined ? undefined : sealing(previousAppSecret, purpose)
  const openBy = ({ open }: typeof present, sealed: string) => {
    try {
      return { plain: open(sealed) }
    } catch (error) {
      return { error }
    }
  }
  return {
    seal: present.seal,
    open(sealed) {
      const opened = openBy(present, sealed)
      if (opened.plain !== undefined) return opened.plain
      if (!previous) throw opened.error
      return previous.open(sealed)
    },
    messages: sealing(appSecret, 'messages between instances v1'),
    sealAnew: (text) =>
      text.replace(sealedText, (sealed) => {
        const plain = previous && openBy(previous, sealed).plain
        return plain === undefined ? sealed : present.seal(plain)
      }),
  }
}

/** AES-256-GCM; a sealed text is `v1.` and base64url of iv, tag and cipher text. */
function sealing(appSecret: string, purpose: string) {
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

/** The setting with a word sealed with the installation's APP_SECRET. */
export const canaryKey = 'secret_canary'

/** Refuses a database whose secrets this APP_SECRET can't open, by a sealed word it finds or leaves there. Throws ConfigError. */
export async function verifySecret({ q }: Pick<Db, 'q'>, secrets: Secrets): Promise<void> {
  await q
    .insertInto('setting')
    .values({ key: canaryKey, value: secrets.seal(canaryKey, 'setting.value') })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  const { value } = await q.selectFrom('setting').select('value').where('key', '=', canaryKey).executeTakeFirstOrThrow()
  if (opens(secrets, value)) return
  throw new ConfigError([
    'APP_SECRET is not the one this database was encrypted with. Set the right one, or put the app-secret file back into DATA_DIR. To change it, also set the old one as APP_SECRET_PREVIOUS until `npm run toolbox -- rotate-secret` has finished.',
  ])
}

/** Whether a text was sealed with the same APP_SECRET. */
export function opens(secrets: Secrets, sealed: string): boolean {
  try {
    secrets.open(sealed)
    return true
  } catch {
    return false
  }
}

/**
 * Every column that holds sealed text, alone or within JSON, by the names of table and column, with the table's key.
 * `seal` takes one of these, so that a new one has to stand here, where `rotate-secret` finds it. The sign-in library
 * stores nothing that it seals: we keep no tokens of providers.
 */
export const sealedColumns = {
  'entry.settings': 'id',
  'channel.settings': 'id',
  'second_factor.secret': 'user_id',
  'second_factor.codes': 'user_id',
  'second_factor.new_secret': 'user_id',
  'second_factor.new_codes': 'user_id',
  /** The canary. Last, since a start without the previous secret is refused until it is sealed anew. */
  'setting.value': 'key',
} as const
type SealedColumn = keyof typeof sealedColumns
