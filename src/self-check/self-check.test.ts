import { afterAll, describe, expect, test } from 'vitest'
import { dialects, insertEntry } from '../../test/support/database/databases.ts'
import { createPerson, createSignedInPerson } from '../../test/support/people.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { toolbox } from '../../test/support/toolbox.ts'
import { serverTools } from '../server-tools.ts'
import { days, hours, minutes } from '../shared/time.ts'
import { readSizes, recordSize } from './checks/database.ts'
import { type Area, type FirstSteps, type SelfCheckFinding, type StepId, stepIds } from './contract.ts'
import { runSelfCheck } from './examine.ts'

describe.each(dialects)('the self-check on %s', async (dialect) => {
  const box = await toolbox(dialect, { BACKUP_DIR: temporaryFolder(), BACKUP_EVERY: '24h' })
  const boss = await createSignedInPerson(box, { name: 'boss', username: 'boss', roles: { Admin: 2 } })
  const lastUsage = { last_usage_timestamp: box.db.timestamp(box.now()) }
  await box.db.q.updateTable('users').set(lastUsage).execute()
  afterAll(() => box.close())
  const findings = async (): Promise<SelfCheckFinding[]> => (await boss.screen.get('/api/v1/admin/health')).body
  const of = async (area: string) => (await findings()).filter((finding) => finding.area === area)
  const steps = async () => (await boss.screen.get('/api/v1/admin/first-steps')).body as FirstSteps
  const done = async () => (await steps()).steps.filter(({ isDone }) => isDone).map(({ id }) => id)

  test('on a new server, exactly the findings that are not ok state what to do', async () => {
    const found = await findings()
    expect(found.filter(({ state, todo }) => (state === 'ok') !== (todo === undefined))).toEqual([])
    expect(found.filter(({ state }) => state !== 'ok').map(({ area }) => area)).toEqual([
      'Address',
      'Admins',
      'Admins',
      'Backups',
    ])
    expect((await of('Admins')).map(({ what }) => what)).toEqual([
      expect.stringContaining('Only one user'),
      'All admins have been active within the last 90 days.',
      'boss can sign in with a password alone.',
    ])
    expect((await of('Proxy'))[0]?.what).toBe('There is no proxy in front of ToolBox.')
  })

  test('warns when the facts about hosts are older than six months', async () => {
    expect(await of('Hosts')).toEqual([{ area: 'Hosts', state: 'ok', what: expect.stringContaining('November 2026') }])
    const { keepalive: tool } = Object.fromEntries(serverTools.map((one) => [one.contract.id, one]))
    const later = [Date.UTC(2027, 3, 30), Date.UTC(2027, 5, 1)].map((at) => tool?.selfCheck?.(at).state)
    expect(later).toEqual(['ok', 'warning'])
  })

  test('detects an untrusted proxy from the request itself', async () => {
    const answer = await box.app.inject({
      url: '/api/v1/admin/health',
      cookies: Object.fromEntries(boss.screen.jar),
      headers: { 'x-forwarded-for': '192.0.2.9' },
    })
    expect(answer.json()).toContainEqual(expect.objectContaining({ area: 'Proxy', state: 'warning' }))
  })

  test('reads late work, failing channels and database growth from the database', async () => {
    const { db, context, now } = box
    const entry = { kind: 'turn', entryId: null }
    await context.jobs.add({ id: 'late', ...entry, dueAt: now() })
    await db.q
      .insertInto('channel')
      .values({
        id: 'c',
        user_id: boss.id,
        name: null,
        type: 'discord',
        status: 1,
        settings: '',
        events: '[]',
        tools: null,
        entries: null,
        quiet: null,
        remind_every: null,
        confirmed: 1,
        failing_since: now(),
        created_at: now(),
        updated_at: now(),
      })
      .execute()
    await recordSize(context)
    box.pass(hours(1))
    await recordSize(context)
    expect(await readSizes(db.q)).toHaveLength(1)
    box.pass(days(2))
    expect((await of('Work'))[0]).toMatchObject({ state: 'warning', what: expect.stringContaining('1 due, 1 of them') })
    expect((await of('Channels'))[0]?.what).toBe('1 channel is failing: Discord of boss.')
    expect((await of('Database'))[0]?.what).toMatch(/and (?:grows by .+ a day|is not growing)\.$/)
    await recordSize(context)
    expect(await readSizes(db.q)).toHaveLength(2)
    for (let n = 0; n < 31; n += 1) {
      box.pass(days(1))
      await recordSize(context)
    }
    expect(await readSizes(db.q)).toHaveLength(31)
    // After the clock is set back, the stored sizes are in the future.
    box.pass(-days(33) - hours(1))
    await recordSize(context)
    expect((await readSizes(db.q)).map(({ at }) => at)).toEqual([now()])
  })

  test('counts only admins who can sign in, and any kind of second step', async () => {
    const { db, context, now } = box
    await createPerson(context, { roles: { Admin: 2 }, status: 1, username: 'inactive' })
    const [app, key] = await Promise.all(
      ['app', 'key'].map((name) => createPerson(context, { name, roles: { Admin: 1 }, username: name })),
    )
    await db.q.insertInto('second_factor').values({ user_id: app!.id, secret: 'sealed', codes: '[]' }).execute()
    const passkey = { rp_id: 'localhost', credential_id: 'c', public_key: 'p', counter: 0, transports: '', name: 'Key' }
    await db.q
      .insertInto('passkey')
      .values({ id: 'p', user_id: key!.id, created_at: now(), ...passkey })
      .execute()
    expect((await of('Admins')).map(({ what }) => what)).toEqual([
      expect.stringContaining('Only one user'),
      "app and key haven't been active within the last 90 days.",
      'boss can sign in with a password alone.',
    ])
    for (const { id } of [app!, key!]) await db.q.deleteFrom('users').where('id', '=', id).execute()
  })

  test('reports the server’s own problems in their areas', async () => {
    const { context, db, now } = box
    const troubled = {
      ...context,
      db: { ...db, failing: () => 'full' as const },
      health: { ...context.health, stalledActivity: () => 'worker' },
      offline: { ...context.offline, isOffline: () => true },
      measured: {
        room: async () => ({ used: 1_000_000, free: 1_000_000 }),
        dueWork: async () => ({ at: now(), kinds: [{ kind: 'turn', due: 5, late: 4, oldest: now() - minutes(2) }] }),
      },
      warnings: ['DATA_DIR is in the container.'],
    }
    const way = { isForwarded: false, peer: '', address: '' }
    const found = await runSelfCheck(troubled, { connection: way, providers: [], ofTools: [] })
    const what = found.filter(({ state }) => state === 'problem').map(({ area, what }) => [area, what])
    expect(what).toEqual([
      ['Network', expect.stringContaining('No outside host can be reached')],
      ['Database', 'DATA_DIR is in the container.'],
      [
        'Database',
        'The database (SQLite) fails: its disk is full.'.replace('SQLite', db.isShared ? 'PostgreSQL' : 'SQLite'),
      ],
      ['Database', 'Only 1.0 MB are free on its disk.'],
      ['Work', 'Runs and deliveries have stopped, although there is work to do.'],
    ])
    expect(found).toContainEqual(
      expect.objectContaining({ area: 'Work', what: expect.stringMatching(/5 due, 4 of them late.*for 2 min\.$/) }),
    )
    expect(found).toContainEqual(
      expect.objectContaining({ area: 'Secret', what: expect.stringContaining('APP_SECRET') }),
    )
  })

  test('a step is done once its condition is met', async () => {
    // On localhost, http is enough; an earlier test has added the channel.
    expect(await done()).toEqual(['channel', 'https'])
    const { db } = box
    await insertEntry(db, 'e', boss.id)
    await createPerson(box.context, { roles: { Admin: 2 } })
    expect((await boss.screen.post('/api/v1/admin/backups')).status).toBe(201)
    expect(await done()).toEqual(['entry', 'channel', 'https', 'backup', 'admin'])
    expect((await steps()).callbacks).toContainEqual({
      name: 'GitHub',
      url: 'http://localhost:3000/api/auth/callback/002_Github',
      registerAt: 'https://github.com/settings/developers',
      variables: ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'],
    })
    box.pass(minutes(1))
  })

  test('a dismissed step disappears permanently for every admin', async () => {
    const path = '/api/v1/admin/first-steps'
    const both = ['https', 'address'].map((id) => boss.screen.patch(path, { ids: [id] }))
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200])
    const other = await createSignedInPerson(box, { roles: { Admin: 2 } })
    const { body } = await other.screen.patch(path, { ids: ['address', 'https'] })
    expect(body.steps.map(({ id }: { id: string }) => id)).toEqual(['entry', 'channel', 'provider', 'backup', 'admin'])
    expect(await steps()).toEqual(body)
    expect((await boss.screen.patch(path, { ids: ['everything'] })).status).toBe(400)
    // Concurrent dismissals are all kept.
    await Promise.all(stepIds.map((id) => boss.screen.patch(path, { ids: [id] })))
    expect((await steps()).steps).toEqual([])
  })
})

test.each([
  ['http://localhost:3000', {}],
  ['http://toolbox.example.com', {}],
  ['http://192.168.1.4:3000', {}],
  ['https://toolbox.example.com', { BACKUP_EVERY: '0' }],
])('the first steps at %s with %j agree with the self-check', async (BASE_URL, env) => {
  const box = await toolbox('sqlite', { BASE_URL, ...env })
  const boss = await createSignedInPerson(box, { roles: { Admin: 2 } })
  expect((await boss.screen.post('/api/v1/admin/backups')).status).toBe(201)
  const { steps }: FirstSteps = (await boss.screen.get('/api/v1/admin/first-steps')).body
  const isDone = (step: StepId) => steps.find(({ id }) => id === step)?.isDone
  const found: SelfCheckFinding[] = (await boss.screen.get('/api/v1/admin/health')).body
  const isWell = (one: Area, nth: number) => found.filter(({ area }) => area === one)[nth]?.state === 'ok'
  expect([isDone('address'), isDone('https'), isDone('backup'), isDone('admin')]).toEqual([
    isWell('Address', 0),
    isWell('Address', 1),
    isWell('Backups', 0),
    isWell('Admins', 0),
  ])
  await box.close()
})

test('a configured server has completed its configuration steps', async () => {
  const box = await toolbox('sqlite', {
    BASE_URL: 'https://toolbox.example.com',
    GITHUB_CLIENT_ID: 'id',
    GITHUB_CLIENT_SECRET: 'secret',
  })
  const boss = await createSignedInPerson(box, { roles: { Admin: 2 } })
  const { body } = await boss.screen.get('/api/v1/admin/first-steps')
  const done = body.steps.filter(({ isDone }: { isDone: boolean }) => isDone)
  expect(done.map(({ id }: { id: string }) => id)).toEqual(['address', 'https', 'provider'])
  await box.close()
})
