import { expect, test } from 'vitest'
import { createPerson } from '../../test/support/people.ts'
import { toolbox } from '../../test/support/toolbox.ts'
import { tellAdminsOnce } from './tell-admins-once.ts'

test('admins are told once, as soon as there is one', async () => {
  const box = await toolbox('sqlite')
  const told = async () => {
    await tellAdminsOnce(box.context, 'a warning', 'The disk is not kept.')
    return (await box.db.q.selectFrom('notification').select('message').execute()).map((row) => row.message)
  }
  expect(await told()).toEqual([])
  await createPerson(box.context, { roles: { Admin: 2 } })
  expect(await told()).toEqual(['The disk is not kept.'])
  expect(await told()).toEqual(['The disk is not kept.'])
  await box.close()
})
