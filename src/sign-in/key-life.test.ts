import { describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { keyScene } from '../../test/support/scenes/key-scene.ts'
import { instantOf } from '../platform/db/storable.ts'
import { days, seconds } from '../shared/time.ts'

const path = '/api/v1/user/apikeys'

describe.each(dialects)('an API key on %s', async (dialect) => {
  const { box, signedIn, withKey } = await keyScene(dialect)
  const rowOf = (id: string) =>
    box.db.q.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

  test('is one of at most fifty, also when many are made at once', async () => {
    const { screen } = await signedIn()
    const make = async (): ReturnType<typeof screen.post> => {
      const answer = await screen.post(path, { name: 'one of many', scopes: ['read'], expiresAt: null })
      // On a busy machine not all of them get a connection to the database within its 10 s.
      return answer.status === 503 ? make() : answer
    }
    const statuses = (await Promise.all(Array.from({ length: 60 }, make))).map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(50)
    expect(statuses.filter((status) => status === 409)).toHaveLength(10)
    const keys = (await screen.get(path)).body
    expect(keys).toHaveLength(50)
    expect((await screen.delete(`${path}?id=${keys[0].id}`)).status).toBe(200)
    expect((await make()).status).toBe(201)
  })

  test('is deleted by its owner alone, and at once', async () => {
    const { program, created, screen } = await withKey()
    const stranger = await signedIn({ roles: { Admin: 2, Tools: 2 } })
    expect((await stranger.screen.delete(`${path}?id=${created.id}`)).status).toBe(404)
    expect((await program.get('/api/v1/user/summary')).status).toBe(200)
    expect((await screen.delete(`${path}?id=${created.id}`)).body).toEqual({ id: created.id })
    expect((await program.get('/api/v1/user/summary')).status).toBe(401)
    expect((await screen.delete(`${path}?id=${created.id}`)).status).toBe(404)
  })

  test('leaves its making and its end in the log', async () => {
    const { created, screen, person } = await withKey({}, { scopes: ['read'], expiresAt: box.now() + days(1) })
    await screen.delete(`${path}?id=${created.id}`)
    const rows = await box.db.q.selectFrom('audit').selectAll().where('actor_id', '=', person.id).execute()
    const log = rows.map(({ action, actor, target, target_id, address, changes }) => ({
      action,
      actor,
      target,
      target_id,
      address,
      changes: JSON.parse(changes),
    }))
    const common = { actor: person.email, target: 'deploy', target_id: created.id, address: '192.0.2.1' }
    const made = [
      { field: 'scopes', from: null, to: ['read'] },
      { field: 'expiresAt', from: null, to: box.now() + days(1) },
    ]
    expect(log).toHaveLength(2)
    expect(log).toContainEqual({ ...common, action: 'key.create', changes: made })
    expect(log).toContainEqual({ ...common, action: 'key.delete', changes: [] })
  })

  test('notes its last use and its owner’s, at most once a minute', async () => {
    const { program, created, person } = await withKey()
    const uses = async () => {
      await box.auth.background.drained()
      const query = box.db.q.selectFrom('users').select('last_usage_timestamp').where('id', '=', person.id)
      const { last_usage_timestamp: user } = await query.executeTakeFirstOrThrow()
      return [(await rowOf(created.id)).last_used_at, user && instantOf(user)]
    }
    const made = box.now()
    expect(await uses()).toEqual([null, made])
    box.pass(seconds(30))
    const first = box.now()
    await program.get('/api/v1/user/summary')
    expect(await uses()).toEqual([first, made])
    box.pass(seconds(59))
    await program.get('/api/v1/user/summary')
    expect(await uses()).toEqual([first, box.now()])
    box.pass(seconds(1))
    await program.get('/api/v1/user/summary')
    expect(await uses()).toEqual([box.now(), box.now() - seconds(1)])
  })
})
