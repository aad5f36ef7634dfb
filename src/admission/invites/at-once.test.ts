import { describe, expect, test } from 'vitest'
import { bothDialects } from '../../../test/support/database/databases.ts'
import { createPerson } from '../../../test/support/people.ts'
import { createInvite, stateOf } from '../../../test/support/scenes/invited.ts'
import { closeAfterwards, toolbox } from '../../../test/support/toolbox.ts'
import { DatabaseUnavailable } from '../../platform/db/unavailable.ts'
import { acceptInvite } from './accept.ts'

const origin = { address: null, device: null }

describe.each(bothDialects)('invitations accepted concurrently on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))

  test('with 100 uses admit exactly 100 of 150 users', async () => {
    const { id } = await createInvite(box, { uses: 100 })
    const people = await Promise.all(
      Array.from({ length: 150 }, () => createPerson(box.context, { roles: { Tools: 0 } })),
    )
    // On a busy machine, some calls time out waiting for a connection and are retried.
    const accept = (person: { id: string }): ReturnType<typeof acceptInvite> =>
      acceptInvite(box.context, id, person.id, { origin, toast: false }).catch((error: unknown) => {
        if (error instanceof DatabaseUnavailable) return accept(person)
        throw error
      })
    const outcomes = await Promise.all(people.map(accept))
    expect(outcomes.filter((refused) => refused === undefined)).toHaveLength(100)
    expect(outcomes.filter((refused) => refused === 'used up')).toHaveLength(50)
    const { used } = await box.db.q.selectFrom('invite').select('used').where('id', '=', id).executeTakeFirstOrThrow()
    expect(used).toBe(100)
    const uses = box.db.q.selectFrom('invite_use').innerJoin('users', 'users.id', 'invite_use.user_id')
    const roles = await uses.select('roles').where('invite_id', '=', id).execute()
    expect(roles.filter((row) => JSON.parse(row.roles).Tools === 1)).toHaveLength(100)
  })

  test('count a use and grant their roles together or not at all', async () => {
    const user = await createPerson(box.context, { roles: { Tools: 0 } })
    const { id } = await createInvite(box)
    const broken = { ...box.context, notify: () => Promise.reject(new Error('killed')) }
    await expect(acceptInvite(broken, id, user.id, { origin, toast: true })).rejects.toThrow('killed')
    expect(await stateOf(box, user.email, id)).toMatchObject({ used: 0, tools: 0 })
    const both = [1, 2, 3].map(() => acceptInvite(box.context, id, user.id, { origin, toast: true }))
    expect(await Promise.all(both)).toEqual([undefined, undefined, undefined])
    expect(await stateOf(box, user.email, id)).toMatchObject({ used: 1, tools: 1 })
  })
})
