import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { createPerson } from '../../../test/support/people.ts'
import { type BoxWithProviders, boxWithProviders, signInAt } from '../../../test/support/scenes/round-trip.ts'
import { Inactive } from '../../shared/user.ts'

describe.each(dialects)('where an administrator lets people in, on %s', (dialect) => {
  let it: BoxWithProviders
  beforeAll(async () => {
    it = await boxWithProviders(dialect, { SIGN_UP: 'approval' })
  })
  afterAll(() => it.close())

  const told = async (userId: string) =>
    (await it.box.db.q.selectFrom('notification').select('message').where('user_id', '=', userId).execute()).map(
      ({ message }) => message,
    )

  test('every administrator who may do so is told who waits, once', async () => {
    const bosses = [
      await createPerson(it.box.context, { roles: { Admin: 2 } }),
      await createPerson(it.box.context, { roles: { Admin: 2 } }),
    ]
    const others = [
      await createPerson(it.box.context, { roles: { Admin: 1 } }),
      await createPerson(it.box.context, { roles: { Admin: 2 }, status: Inactive }),
    ]
    const person = it.somebody()
    it.github.person(person)
    await signInAt(it.visitor(), it.github.id)
    // Another attempt is refused too, and isn't reported to the admins again.
    await signInAt(it.visitor(), it.github.id)
    for (const { id } of bosses)
      expect(await told(id)).toEqual([expect.stringContaining(`${person.email} has signed up`)])
    for (const { id } of others) expect(await told(id)).toEqual([])
  })
})
