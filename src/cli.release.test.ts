import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test } from 'vitest'
import { cheapPasswordFlags, processEnv } from '../test/support/process.ts'
import { createAdmin, password, usernames, withDb } from '../test/support/scenes/command-scene.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { openSqlite } from './platform/db/sqlite/open.ts'

const program = fileURLToPath(new URL('cli.ts', import.meta.url))

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

/** Runs the command as its own process; without input, stdin is empty, as for a service. */
async function toolbox(args: string[], { input, env = {} }: { input?: string; env?: Record<string, string> } = {}) {
  const child = spawn(process.execPath, [...cheapPasswordFlags, program, ...args], {
    cwd: folder,
    env: { ...processEnv, ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.end(input)
  const [[code], out, err] = await Promise.all([once(child, 'close'), text(child.stdout!), text(child.stderr!)])
  return { code: (code as number | null) ?? -1, out, err }
}

const createByCommand = () =>
  toolbox(['admin', 'create', '--email', 'admin@example.com', '--username', 'admin'], { input: `${password}\n` })

test('creates an admin with the password from stdin, but only once', async () => {
  expect(await createByCommand()).toMatchObject({ code: 0, err: '' })
  const second = await createByCommand()
  expect(second.code).toBe(1)
  expect(second.err).toMatch(/email|username/)
  expect(second.err).not.toContain(' at ')
  const user = await withDb(folder, (db) => db.q.selectFrom('users').selectAll().executeTakeFirstOrThrow())
  expect(JSON.parse(user.roles)).toEqual({ Admin: 2, Tools: 2 })
  expect(user.status).toBe(2)
})

test('prints a one-time link if no password is given', async () => {
  const args = ['admin', 'create', '--email', 'a@example.com', '--username', 'admin']
  const { code, out } = await toolbox(args, { env: { BASE_URL: 'https://tools.example.com' } })
  expect(code).toBe(0)
  expect(out).toMatch(/https:\/\/tools\.example\.com\/auth\/setup#token=[\w-]{43}&for=admin/)
})

test('prints no link if the email or username is already in use', async () => {
  await createAdmin(folder)
  const refused = async (email: string, username: string) => {
    const { code, out, err } = await toolbox(['admin', 'create', '--email', email, '--username', username])
    return { code, out, err }
  }
  const inUse = (what: string) => ({
    code: 1,
    out: '',
    err: expect.stringContaining(`This ${what} is already in use.`),
  })
  expect(await refused('other@example.com', 'Admin')).toEqual(inUse('username'))
  expect(await refused('admin@example.com', 'other')).toEqual(inUse('email'))
})

test('rejects a weak password and an unknown user with a readable message', async () => {
  const args = ['admin', 'create', '--email', 'a@example.com', '--username', 'admin']
  expect(await toolbox(args, { input: 'short' })).toMatchObject({ code: 1, err: expect.stringContaining('password: ') })
  const nobody = await toolbox(['admin', 'reset-password', '--username', 'nobody'], { input: password })
  expect(nobody).toMatchObject({ code: 1, err: 'User not found.\n' })
})

test('a new password replaces the old hash', async () => {
  await createAdmin(folder)
  const hash = () =>
    withDb(folder, (db) => db.q.selectFrom('provider_links').select('password').executeTakeFirstOrThrow())
  const before = await hash()
  const { code } = await toolbox(['admin', 'reset-password', '--username', 'Admin'], { input: 'another long phrase' })
  expect(code).toBe(0)
  expect((await hash()).password).not.toBe(before.password)
})

test('while a server is running, makes a backup, and refuses a restore without changing anything', async () => {
  await createAdmin(folder)
  const open = openSqlite(join(folder, 'data'))
  await usernames(open)
  expect(await toolbox(['backup', 'one.db'])).toMatchObject({ code: 0, err: '' })
  const refused = await toolbox(['restore', 'one.db'])
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('Stop it first') })
  expect(await usernames(open)).toEqual(['admin'])
  await open.close()
})
