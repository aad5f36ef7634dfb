import { afterAll, beforeAll } from 'vitest'
import type { Dialect } from '../database/databases.ts'
import { createPerson, signedIn } from '../people.ts'
import { type Toolbox, toolbox } from '../toolbox.ts'

export const adminUser = '/api/v1/admin/user'

/** For tests of what administrators do: the server, and the boss, who may administer it and is signed in. */
export function adminScene(dialect: Dialect) {
  let box: Toolbox
  let boss: Awaited<ReturnType<typeof signedIn>>
  beforeAll(async () => {
    box = await toolbox(dialect)
    boss = await signedIn(box, { name: 'boss', username: 'boss', roles: { Admin: 2 } })
  })
  afterAll(() => box.close())

  let made = 0
  const newName = () => `someone${made++}`
  return {
    /** The current test's fixtures. */
    now: () => ({ box, boss }),
    newName,
    someone: (details: Parameters<typeof createPerson>[1] = {}) =>
      createPerson(box.context, { name: newName(), ...details }),
    read: async (email: string) => (await boss.screen.get(`${adminUser}?email=${encodeURIComponent(email)}`)).body,
    row: (id: string) => box.db.q.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  }
}
