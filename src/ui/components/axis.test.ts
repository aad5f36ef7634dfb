import { expect, it } from 'vitest'
import { axisTo } from './axis.ts'

it('ends at the first tick that reaches the greatest value, and has few ticks', () => {
  expect(axisTo(10, 2)).toEqual({ top: 10, ticks: [5, 10] })
  expect(axisTo(15, 2)).toEqual({ top: 20, ticks: [10, 20] })
  expect(axisTo(231, 2)).toEqual({ top: 300, ticks: [100, 200, 300] })
  expect(axisTo(4, 3)).toEqual({ top: 4, ticks: [1, 2, 3, 4] })
  expect(axisTo(8_123, 3)).toEqual({ top: 10_000, ticks: [2_000, 4_000, 6_000, 8_000, 10_000] })
})
