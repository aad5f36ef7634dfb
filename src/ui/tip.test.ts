import type { PointerEvent } from 'react'
import { expect, it, vi } from 'vitest'
import { lazyTooltip } from './tip.ts'

it('builds the tooltip on each pointer enter, and not before', () => {
  const words = vi.fn(() => `said ${words.mock.calls.length}`)
  const { onPointerEnter } = lazyTooltip(words)
  expect(words).not.toHaveBeenCalled()
  const currentTarget = { title: '' }
  const enter = () => onPointerEnter({ currentTarget } as PointerEvent<HTMLElement>)
  enter()
  expect(currentTarget.title).toBe('said 1')
  enter()
  expect(currentTarget.title).toBe('said 2')
})
