import { describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { createSignedInPerson, startSession } from '../../test/support/people.ts'
import { adminScene } from '../../test/support/scenes/admin-scene.ts'
import { beforeCheck } from '../../test/support/scenes/before-check.ts'
import { minutes } from '../shared/time.ts'

const path = '/api/v1/admin/users'
const nobodys = '00000000-0000-4000-8000-000000000000'

describe.each(dialects)('bulk changes to users on %s', async (dialect) => {
  const { boss, box, someone, row } = await adminScene(dialect)
  const change = (body: object) => boss.screen.patch(path, body)
  const some = async (count: number, details: Parameters<typeof someone>[0] = {}) => {
    const users = []
    for (let at = 0; at < count; at++) users.push(await someone(details))
    return users
  }
  const idsOf = (people: readonly { id: string }[]) => people.map(({ id }) => id)
  const audited = async (ids: readonly string[]) => {
    const { db } = box
    const log = db.q.selectFrom('audit').select(['action', 'target_id', 'changes']).where(db.isOneOf('target_id', ids))
    return (await log.execute()).map((one) => [one.action, one.target_id, JSON.parse(one.changes)])
  }

  test('set status, roles and tags, with an audit entry for each user, and report unchanged users', async () => {
    const ids = idsOf(await some(3, { roles: { Tools: 0 }, tags: ['Verified'] }))
    const edit = { status: 1, roles: { Tools: 1 }, tags: ['Moderator'] }
    expect((await change({ ids: [...ids, ids[0]], ...edit })).body).toEqual({ changed: ids, refused: [] })
    for (const id of ids)
      expect(await row(id)).toMatchObject({ status: 1, tags: '["Moderator"]', roles: '{"Admin":0,"Tools":1}' })
    const changes = [
      { field: 'status', from: 2, to: 1 },
      { field: 'roles.Tools', from: 0, to: 1 },
      { field: 'tags', from: ['Verified'], to: ['Moderator'] },
    ]
    expect((await audited(ids)).toSorted()).toEqual(ids.map((id) => ['user.edit', id, changes]).toSorted())
    const outcome = { changed: ids, unchanged: ids, refused: [] }
    expect((await change({ ids, ...edit })).body).toEqual(outcome)
    expect(await audited(ids)).toHaveLength(3)
  })

  test('add and remove tags without touching other tags', async () => {
    const one = await someone({ tags: ['Verified'] })
    const two = await someone({ tags: ['Admin', 'Moderator'] })
    const ids = idsOf([one, two])
    await change({ ids, addTags: ['Moderator'], removeTags: ['Admin'] })
    expect([(await row(one.id)).tags, (await row(two.id)).tags]).toEqual(['["Verified","Moderator"]', '["Moderator"]'])
  })

  test('sign out users who are blocked', async () => {
    const person = await createSignedInPerson(box, { name: `blocked-${dialect}` })
    expect((await change({ ids: [person.id], status: 0 })).body).toEqual({ changed: [person.id], refused: [] })
    expect((await person.screen.get('/api/v1/user/sessions')).status).toBe(401)
  })

  test('apply to the other users when some are refused, and give the reason for each refusal', async () => {
    const [one, two] = idsOf(await some(2))
    const { body } = await change({ ids: [one, nobodys, boss.id, two], status: 0 })
    expect(body).toEqual({
      changed: [one, two],
      refused: [
        { id: nobodys, why: 'User not found.' },
        { id: boss.id, why: expect.stringContaining('your own account') },
      ],
    })
    expect((await row(boss.id)).status).toBe(2)
    expect((await change({ ids: [boss.id], addTags: ['Admin'] })).body.changed).toEqual([boss.id])
  })

  test('never demote, deactivate or delete the admin who makes them', async () => {
    for (const lower of [{ roles: { Admin: 1 } }, { roles: { Admin: 0 } }, { status: 1 }])
      expect((await change({ ids: [boss.id], ...lower })).body.changed).toEqual([])
    const { id } = await someone()
    const { body } = await boss.screen.post(`${path}/bulk`, { ids: [boss.id, id], act: 'delete' })
    expect(body).toEqual({ done: [id], refused: [{ id: boss.id, why: expect.stringContaining('your own account') }] })
    expect(await audited([id])).toMatchObject([['user.delete', id, expect.anything()]])
  })

  const other = () => createSignedInPerson(box, { roles: { Admin: 2 } })
  test.each([
    ['is blocked', { status: 0 }],
    ['is made inactive', { status: 1 }],
    ['loses the role', { roles: { Admin: 1 } }],
    ['is signed out', undefined],
  ])('stop once the admin who makes them %s, and report the remaining users as refused', async (_what, edit) => {
    const second = await other()
    const refused = (ids: string[]) => ids.map((id) => ({ id, why: 'You lost access before this was done.' }))
    const end = (id: string) =>
      edit
        ? second.screen.patch('/api/v1/admin/user', { id, ...edit })
        : second.screen.delete(`/api/v1/admin/user/sessions?id=${id}`)
    const ids = idsOf(await some(4, { status: 1 }))
    const [one, two] = [await other(), await other()]
    beforeCheck(box.app, 3, () => end(one.id))
    expect((await one.screen.patch(path, { ids, status: 2 })).body).toEqual({
      changed: ids.slice(0, 2),
      refused: refused(ids.slice(2)),
    })
    expect(await Promise.all(ids.map(async (id) => (await row(id)).status))).toEqual([2, 2, 1, 1])
    beforeCheck(box.app, 2, () => end(two.id))
    expect((await two.screen.post(`${path}/bulk`, { ids, act: 'delete' })).body).toEqual({
      done: ids.slice(0, 1),
      refused: refused(ids.slice(1)),
    })
    expect((await row(ids[1]!)).status).toBe(2)
  })

  test('run to completion even if the admin’s proof stops being recent midway', async () => {
    const ids = idsOf(await some(2, { roles: { Tools: 0 } }))
    const { screen } = await other()
    beforeCheck(box.app, 2, async () => box.pass(minutes(11)))
    expect((await screen.post(`${path}/bulk`, { ids, act: 'delete' })).body).toEqual({ done: ids, refused: [] })
  })

  test('require a recent proof to raise a role, but not to lower one', async () => {
    const [one, two] = idsOf([await someone({ roles: { Tools: 1 } }), await someone({ roles: { Tools: 2 } })])
    box.pass(minutes(11))
    const raised = await change({ ids: [two, one], roles: { Tools: 2 } })
    expect(raised).toMatchObject({ status: 403, body: { reauthenticate: true } })
    expect((await row(one!)).roles).toContain('"Tools":1')
    expect((await change({ ids: [one, two], roles: { Tools: 0 } })).body.changed).toEqual([one, two])
    expect((await boss.screen.post(`${path}/bulk`, { ids: [one], act: 'delete' })).status).toBe(403)
    await box.db.q.updateTable('sessions').set({ proved_at: box.now() }).where('user_id', '=', boss.id).execute()
    expect((await change({ ids: [one], roles: { Tools: 2 } })).body.changed).toEqual([one])
  })

  test('are previewed by counting the users, their entries and sessions', async () => {
    const owner = await someone({ roles: { Tools: 1, Admin: 1 } })
    const idle = await someone({ status: 1 })
    await startSession(box.context, box.auth, owner)
    const { body } = await boss.screen.post(`${path}/together`, { ids: [owner.id, idle.id, nobodys] })
    expect(body).toEqual({ users: 2, active: 1, admins: 1, entries: 0, sessions: 1 })
  })

  test('reject more than 1,000 users, no users, no change, or an unknown tag', async () => {
    const ids = Array.from({ length: 1_001 }, (_, n) => `id-${n}`)
    for (const body of [{ ids, status: 1 }, { ids: ['a'] }, { ids: [], status: 1 }, { ids: ['a'], tags: ['Nice'] }])
      expect((await change(body)).status).toBe(400)
  })
})
