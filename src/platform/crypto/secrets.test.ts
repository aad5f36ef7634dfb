import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { migrate } from '../../migrations.ts'
import { openSqlite } from '../db/sqlite/open.ts'
import { keyFor, openSecrets, verifySecret } from './secrets.ts'

const column = 'entry.settings'
const secrets = openSecrets({ appSecret: 'one secret of at least thirty-two characters' })
const others = openSecrets({ appSecret: 'another secret of at least thirty-two chars' })

test('sealed text opens again, and sealing a text twice gives different results', () => {
  const [first, second] = [secrets.seal('grüß dich', column), secrets.seal('grüß dich', column)]
  expect(first).not.toBe(second)
  expect([first, second].map(secrets.open)).toEqual(['grüß dich', 'grüß dich'])
  expect(secrets.open(secrets.seal('', column))).toBe('')
})

test('open throws for text that was changed, truncated or sealed with another secret', () => {
  const sealed = secrets.seal('text', column)
  const changed = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA')
  for (const text of [changed, others.seal('text', column), 'text', 'v1.', 'v1.AAAA', sealed.slice(0, 30)])
    expect(() => secrets.open(text), text).toThrow()
})

test('each purpose has its own key', () => {
  expect(keyFor('s', 'cookies')).not.toEqual(keyFor('s', 'encryption'))
})

test('verifySecret rejects a secret other than the first one used with the database', async () => {
  const db = openSqlite(temporaryFolder())
  await migrate(db)
  await verifySecret(db, secrets)
  await verifySecret(db, secrets)
  await expect(verifySecret(db, others)).rejects.toThrow('APP_SECRET is not the one')
  await db.q.destroy()
})
