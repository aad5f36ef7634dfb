import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatCount } from './count.ts'

test('formats any safe integer as Intl does for English', () => {
  const english = new Intl.NumberFormat('en')
  fc.assert(
    fc.property(fc.maxSafeInteger(), (count) => {
      expect(formatCount(count)).toBe(english.format(count))
    }),
  )
})
