import { expect, test } from 'vitest'
import { closeAll } from './close-all.ts'

test('what cannot be closed is told, once everything behind it is closed', async () => {
  const closed: string[] = []
  const close = (name: string) => async () => void closed.push(name)
  const failing = async () => {
    throw new Error('the disk is gone')
  }
  await expect(closeAll([close('work'), failing, close('app'), close('database')])).rejects.toThrow('the disk is gone')
  expect(closed).toEqual(['work', 'app', 'database'])
  await expect(closeAll([close('again')])).resolves.toBeUndefined()
})
