import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { bothDialects, waitForLock } from '../../test/support/database/databases.ts'
import { createPerson, password, startSession } from '../../test/support/people.ts'
import {
  boxWithProviders,
  refusalPath,
  returnFromProvider,
  startAtProvider,
} from '../../test/support/scenes/round-trip.ts'
import { Blocked } from '../shared/user.ts'
import { createKey } from '../sign-in/api-keys.ts'
import { refusalMessage } from '../sign-in/providers/refusal.ts'

const fresh = 'eleven purple violins'

describe.each(bothDialects)('concurrent changes to a user on %s', async (dialect) => {
  const it = await boxWithProviders(dialect)
  afterAll(() => it.close())

  /** Runs `work`, and meanwhile this statement whenever a row is inserted into this table. */
  async function asSoonAs<T>(table: 'sessions' | 'rate_limits', statement: string, work: () => Promise<T>): Promise<T> {
    const run = (text: string) => sql.raw(text).execute(it.box.db.q)
    if (dialect === 'postgres')
      await run(
        `create function meanwhile() returns trigger language plpgsql as $$ begin ${statement}; return new; end $$`,
      )
    const action = dialect === 'postgres' ? 'for each row execute function meanwhile()' : `begin ${statement}; end`
    await run(`create trigger meanwhile_here after insert on ${table} ${action}`)
    try {
      return await work()
    } finally {
      await run(dialect === 'postgres' ? 'drop function meanwhile cascade' : 'drop trigger meanwhile_here')
    }
  }
  const newPassword = (id: string) =>
    `update provider_links set password = 'scrypt$17$8$1$AAAA$AAAA' where provider_id = 'credential' and user_id = '${id}'`
  const block = (id: string) => `update users set status = 0 where id = '${id}'`
  const sessionsOf = (id: string) => it.box.db.q.selectFrom('sessions').select('id').where('user_id', '=', id).execute()
  let people = 0
  const somebody = () => createPerson(it.box.context, { username: `meanwhile-${++people}` })

  test('signing in with an old password opens no session if the password changes during the sign-in', async () => {
    const { id, username } = await somebody()
    const screen = it.visitor()
    const { status } = await asSoonAs('sessions', newPassword(id), () => screen.signIn(username!))
    expect(status).toBe(401)
    expect(screen.jar.has('toolbox-3000.session_token')).toBe(false)
    expect(await sessionsOf(id)).toEqual([])
  })

  test('blocking a user during a sign-in leaves no session that would work once they are active again', async () => {
    const { id, username } = await somebody()
    await asSoonAs('sessions', block(id), () => it.visitor().signIn(username!))
    expect(await sessionsOf(id)).toEqual([])
    const { person, user } = await it.enter(it.discord)
    await it.box.db.q.deleteFrom('sessions').where('user_id', '=', user.id).execute()
    await asSoonAs('sessions', block(user.id), () => it.enter(it.discord, person))
    expect(await sessionsOf(user.id)).toEqual([])
  })

  test.each([
    ['set', newPassword],
    ['removed', (id: string) => `delete from provider_links where user_id = '${id}'`],
  ])('a password that an admin has just %s is not overwritten by the user’s own change', async (_, deed) => {
    const person = await somebody()
    const screen = it.visitor((await startSession(it.box.context, it.box.auth, person)).cookie)
    await screen.get('/api/v1/auth/session')
    const passwords = () =>
      it.box.db.q.selectFrom('provider_links').select('password').where('user_id', '=', person.id).execute()
    const change = () => screen.patch('/api/v1/user/password', { current: password, password: fresh })
    const { status, body } = await asSoonAs('rate_limits', deed(person.id), change)
    expect([status, body.error]).toEqual([409, 'Your password was changed in the meantime. Sign in again.'])
    expect((await passwords()).filter((row) => !row.password?.endsWith('$AAAA'))).toEqual([])
  })

  test('a user who was just deleted cannot create an API key', async () => {
    const details = { name: 'late', scopes: ['read' as const], expiresAt: null }
    const making = it.box.db.q.transaction().execute((q) => createKey(it.box.db, q, 'nobody', details, it.box.now()))
    await expect(making).rejects.toMatchObject({ status: 401 })
  })

  test('a new user who signs in from several windows at the same time is created once', async () => {
    const person = it.somebody()
    it.github.person(person)
    const screens = Array.from({ length: 4 }, () => it.visitor())
    const backs = await Promise.all(screens.map((screen) => startAtProvider(screen, { provider: '002_Github' })))
    const endings = await Promise.all(screens.map((screen, n) => returnFromProvider(screen, backs[n]!)))
    expect(endings.map(({ to }) => to)).toEqual(['/', '/', '/', '/'])
    expect(await it.linksOf(person.id)).toHaveLength(1)
    const counted = it.box.db.q.selectFrom('users').select('log_in_count').where('email', '=', person.email)
    expect(await counted.execute()).toEqual([{ log_in_count: 4 }])
  })

  test('a user who is being blocked during a sign-in gets neither link nor session', async () => {
    const me = await createPerson(it.box.context)
    const person = { ...it.somebody(), email: me.email }
    it.github.person(person)
    const screen = it.visitor()
    const back = await startAtProvider(screen, { provider: '002_Github' })
    let ending: ReturnType<typeof returnFromProvider> | undefined
    await it.box.db.q.transaction().execute(async (q) => {
      await q.updateTable('users').set({ status: Blocked }).where('id', '=', me.id).execute()
      ending = returnFromProvider(screen, back)
      // SQLite blocks all other writers meanwhile; PostgreSQL shows which connections wait for a lock.
      if (dialect === 'postgres') await waitForLock(it.box.db.q, ending)
    })
    expect(await ending).toEqual({ status: 302, to: refusalPath, error: refusalMessage('blocked', 'GitHub') })
    expect(await it.linksOf(person.id)).toEqual([])
  })
})
