import { expect, it } from 'vitest'
import { trackOwnWrites } from './own-writes.ts'

it('follows external changes of the address, but not its own writes, however late they arrive', () => {
  const followed: string[] = []
  const writes = trackOwnWrites('')
  const arrives = (text: string) => writes.follow(text, () => followed.push(text))
  arrives('')
  writes.write('a')
  writes.write('ab')
  arrives('a')
  expect(writes.isLast('ab')).toBe(true)
  arrives('ab')
  expect(followed).toEqual([])
  arrives('a')
  expect([followed, writes.isLast('a')]).toEqual([['a'], true])
})
