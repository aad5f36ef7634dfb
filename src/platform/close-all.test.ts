import { expect, test } from 'vitest'
import { closeAll } from './close-all.ts'

test('what cannot be closed, or not in time, is told once everything behind it is closed', async () => {
  const closed: string[] = []
  const closer = (what: string) => ({ what, within: 60_000, close: async () => void closed.push(what) })
  const failing = () => {
    throw new Error('The disk is gone.')
  }
  const closers = [
    closer('worker'),
    { what: 'disk', within: 60_000, close: failing },
    { what: 'server', within: 20, close: () => new Promise(() => {}) },
    closer('database'),
  ]
  await expect(closeAll(closers)).rejects.toThrow('The disk is gone. The server did not close within 0.02 s.')
  expect(closed).toEqual(['worker', 'database'])
  await expect(closeAll([closer('again')])).resolves.toBeUndefined()
})
