import type { PointerEvent } from 'react'
import { expect, it, vi } from 'vitest'
import { lazyTooltip } from './tip.ts'

it('builds the tooltip on each pointer enter, and not before', () => {
  const words = vi.fn(() => `said ${words.mock.calls.length}`)
  const { onPointerEnter } = lazyTooltip(words)
  expect(words).not.toHaveBeenCalled()
  const currentTarget = { title: '' }
  const come = () => onPointerEnter({ currentTarget } as PointerEvent<HTMLElement>)
  come()
  expect(currentTarget.title).toBe('said 1')
  come()
  expect(currentTarget.title).toBe('said 2')
})
