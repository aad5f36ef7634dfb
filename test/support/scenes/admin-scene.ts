import type { Dialect } from '../database/databases.ts'
import { createPerson, createSignedInPerson } from '../people.ts'
import { closeAfterwards, toolbox } from '../toolbox.ts'

export const adminUser = '/api/v1/admin/user'

export async function adminScene(dialect: Dialect) {
  const box = closeAfterwards(await toolbox(dialect))
  const boss = await createSignedInPerson(box, { name: 'boss', username: 'boss', roles: { Admin: 2 } })

  let count = 0
  const newName = () => `someone${count++}`
  return {
    box,
    boss,
    newName,
    someone: (details: Parameters<typeof createPerson>[1] = {}) =>
      createPerson(box.context, { name: newName(), ...details }),
    read: async (email: string) => (await boss.screen.get(`${adminUser}?email=${encodeURIComponent(email)}`)).body,
    row: (id: string) => box.db.q.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  }
}
