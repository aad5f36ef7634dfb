import { Readable } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  copyBackup,
  encryptedBackupEnv,
  installation,
  makeBackup,
  passphrase,
  seedUser,
} from '../../test/support/installation.ts'
import { usernames } from '../../test/support/scenes/command-scene.ts'
import { admin } from './admin.ts'
import { restore } from './restore.ts'
import { openQuestions, withDatabase } from './terminal.ts'

function pipe(bytes: Buffer): void {
  const stdin = Readable.from([bytes]) as unknown as typeof process.stdin
  const { mockRestore } = vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin)
  onTestFinished(mockRestore)
}
const inUtf16 = (text: string) => Buffer.from(`\ufeff${text}\r\n`, 'utf16le')

test('a byte order mark is removed from piped input', async () => {
  pipe(Buffer.from('\ufeffa pass phrase\r\nthe next line'))
  const questions = openQuestions()
  expect([await questions.ask(''), await questions.ask(''), await questions.ask('')]).toEqual([
    'a pass phrase',
    'the next line',
    undefined,
  ])
  questions.close()
})

test.each([
  ['UTF-16', inUtf16('a pass phrase')],
  ['UTF-16 without a mark', inUtf16('a pass phrase').subarray(2)],
  ['UTF-16 with the high byte first', inUtf16('a pass phrase').swap16()],
  ['Latin-1', Buffer.from('pässword', 'latin1')],
])('rejects text in %s', async (_encoding, bytes) => {
  pipe(bytes)
  const questions = openQuestions()
  await expect(questions.ask('')).rejects.toThrow(
    "The piped input isn't UTF-8. Notepad and PowerShell may save UTF-16: save it as UTF-8.",
  )
  questions.close()
})

test('text that is not UTF-8 neither sets a password nor decrypts a backup', async () => {
  const ada = installation(encryptedBackupEnv)
  await seedUser(ada)
  pipe(inUtf16('a long enough pass phrase'))
  const create = ['create', '--email', 'eve@example.com', '--username', 'eve']
  await expect(admin(create, ada)).rejects.toThrow("isn't UTF-8")
  expect(await withDatabase(ada, usernames)).not.toContain('eve')
  const fresh = installation()
  const name = await makeBackup(ada)
  copyBackup(name, ada, fresh)
  pipe(inUtf16(passphrase))
  await expect(restore([name], fresh)).rejects.toThrow("isn't UTF-8")
  pipe(Buffer.from(`\ufeff${passphrase}`))
  await restore([name], fresh)
  expect(fresh.lines.at(-1)).toBe('Users: 1. Entries: 1.')
})
