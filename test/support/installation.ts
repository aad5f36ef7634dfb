import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { backups } from '../../src/cli/backups.ts'
import { restoreWith } from '../../src/cli/restore.ts'
import { type Terminal, withDatabase } from '../../src/cli/terminal.ts'
import { migrate } from '../../src/migrations.ts'
import { openSecrets, verifySecret } from '../../src/platform/crypto/secrets.ts'
import { rowsOf, tablesOf } from '../../src/platform/db/rows/dump.ts'
import { insertEntry, insertUser } from './database/databases.ts'
import { temporaryFolder } from './temporary-folder.ts'

export const passphrase = 'correct horse battery staple'
/** The variable that makes backups encrypted. */
export const encryptedBackupEnv = { BACKUP_PASSPHRASE: passphrase }

export function installation(env: Record<string, string> = {}) {
  const folder = temporaryFolder()
  const lines: string[] = []
  const terminal: Terminal = { env, folder, say: (line) => void lines.push(line) }
  return {
    ...terminal,
    lines,
    data: join(folder, 'data'),
    backups: join(folder, 'data', 'backups'),
    /** The contents of the data folder, without the temporary files of an open database. */
    files: () => readdirSync(join(folder, 'data')).filter((name) => !/-(?:wal|shm)$|\.lock$/.test(name)),
  }
}
export type Installation = ReturnType<typeof installation>

/** Adds a user with an entry, an encrypted secret and a session. */
export function seedUser(place: Installation, name = 'ada') {
  if (!place.env.DATABASE_URL && !existsSync(place.data)) {
    // Accessible only to its owner, as the program creates it.
    mkdirSync(place.data, { mode: 0o700 })
    cpSync(inject('migrated').sqlite, place.data, { recursive: true })
  }
  return withDatabase(place, async (db, config) => {
    await migrate(db)
    const secrets = openSecrets(config)
    await verifySecret(db, secrets)
    await insertUser(db, name)
    await insertEntry(db, `entry of ${name}`, name, 'herokudiscordwebhook')
    const settings = JSON.stringify({ secret: secrets.seal('hush', 'entry.settings') })
    await db.q.updateTable('entry').set({ settings }).where('owner_id', '=', name).execute()
    const at = db.timestamp(0)
    const session = { id: name, token: name, user_id: name, expires_at: at, created_at: at, updated_at: at }
    await db.q
      .insertInto('sessions')
      .values({ ...session, ip_address: null, user_agent: null })
      .execute()
  })
}

/** All rows in a form common to both databases, with secrets decrypted; omits backup records and lock rows. */
export const dumpRows = (place: Installation) =>
  withDatabase(place, async (db, config) => {
    const secrets = openSecrets(config)
    const alike = (value: unknown) => {
      if (value instanceof Date) return value.toISOString()
      if (typeof value === 'boolean') return Number(value)
      return typeof value === 'string' ? value.replace(/v1\.[\w-]{38,}/g, (sealed) => secrets.open(sealed)) : value
    }
    const lines: string[] = []
    await db.q.transaction().execute(async (q) => {
      for (const table of await tablesOf(db))
        for await (const row of rowsOf({ ...db, q }, table)) {
          if (row.key === 'backups' || String(row.key).startsWith('lock: ') || String(row.action).startsWith('data.'))
            continue
          const fields = Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))
          lines.push(`${table} ${JSON.stringify(fields.map(([key, value]) => [key, alike(value)]))}`)
        }
    })
    return lines.sort()
  })
export const withoutSessions = (lines: readonly string[]) => lines.filter((line) => !line.startsWith('sessions '))
export const isUserOrEntryRow = (line: string) => /^(users|entry) /.test(line)

export async function makeBackup(place: Installation): Promise<string> {
  await backups(['make'], place)
  return /^Made (\S+) with [1-9]\d* rows/.exec(place.lines.at(-1) ?? '')?.[1] ?? ''
}

export function copyBackup(name: string, from: Installation, to: Installation): void {
  mkdirSync(to.backups, { recursive: true })
  copyFileSync(join(from.backups, name), join(to.backups, name))
}

export function restore(args: string[], place: Installation, answers: readonly string[] = []): Promise<void> {
  const remaining = [...answers]
  return restoreWith({ isTerminal: false, ask: async () => remaining.shift() }, args, place)
}
