import type { PointerEvent } from 'react'
import { expect, it, vi } from 'vitest'
import { tipped } from './tip.ts'

it('words a tooltip each time the pointer comes, and never before', () => {
  const words = vi.fn(() => `said ${words.mock.calls.length}`)
  const { onPointerEnter } = tipped(words)
  expect(words).not.toHaveBeenCalled()
  const currentTarget = { title: '' }
  const come = () => onPointerEnter({ currentTarget } as PointerEvent<HTMLElement>)
  come()
  expect(currentTarget.title).toBe('said 1')
  come()
  expect(currentTarget.title).toBe('said 2')
})
