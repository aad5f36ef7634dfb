import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { isDone, markDone, sourcesHash, withLock } from './prepare.mjs'

let folder
beforeEach(() => {
  folder = temporaryFolder()
})

const write = (path, text) => {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const hash = () => sourcesHash(folder, ['src', 'index.html'])

test('the hash depends on the names and contents of the sources of the page and the server', () => {
  write('src/ui/a.ts', 'one')
  const first = hash()
  write('src/ui/a.ts', 'one')
  expect(hash()).toBe(first)
  write('src/ui/a.ts', 'two')
  const second = hash()
  expect(second).not.toBe(first)
  write('index.html', '<html>')
  expect(hash()).not.toBe(second)
})

test('changes to tests do not make the build outdated', () => {
  write('src/ui/a.ts', 'one')
  const first = hash()
  write('src/ui/a.test.ts', 'new')
  expect(hash()).toBe(first)
})

test('work counts as done while its stamp has the same value', () => {
  const stamp = join(folder, 'stamp')
  expect(isDone(stamp, 'a')).toBe(false)
  markDone(stamp, 'a')
  expect([isDone(stamp, 'a'), isDone(stamp, 'b')]).toEqual([true, false])
})

test('the lock admits one holder at a time and leaves no file behind', async () => {
  const lock = join(folder, 'lock')
  const order = []
  const work = (name) =>
    withLock(`${lock}`, async () => {
      order.push(`${name} in`)
      await pause(30)
      order.push(`${name} out`)
    })
  await Promise.all([work('a'), work('b')])
  expect(order.map((word) => word.split(' ')[1])).toEqual(['in', 'out', 'in', 'out'])
  expect(existsSync(lock)).toBe(false)
})

test('the lock of a dead process is taken over, and failed work releases its lock', async () => {
  const lock = join(folder, 'lock')
  writeFileSync(lock, '2147483646')
  await expect(withLock(lock, async () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await withLock(lock, async () => 'done')).toBe('done')
})

test('a lock whose owner’s process id is used again is taken over', async ({ skip }) => {
  if (!existsSync('/proc/self/stat')) skip('This system has no /proc.')
  const lock = join(folder, 'lock')
  for (const pid of [process.pid, process.ppid]) {
    writeFileSync(lock, `${pid} 1`)
    expect(await withLock(lock, async () => 'done')).toBe('done')
  }
  writeFileSync(lock, String(process.pid))
  expect(await withLock(lock, async () => 'done')).toBe('done')
})

test('a living process keeps a lock from before starts were recorded in it', async () => {
  const lock = join(folder, 'lock')
  writeFileSync(lock, String(process.ppid))
  const lines = []
  await withLock(
    lock,
    async () => lines.push('done'),
    (line) => {
      lines.push(line)
      rmSync(lock)
    },
  )
  expect(lines).toEqual([`waiting for another start to finish (process ${process.ppid})`, 'done'])
})

test('says for which process it waits', async () => {
  const lock = join(folder, 'lock')
  const lines = []
  let finish
  const first = withLock(lock, () => new Promise((resolve) => (finish = resolve)))
  await withLock(
    lock,
    async () => {},
    (line) => {
      lines.push(line)
      finish()
    },
  )
  await first
  expect(lines).toEqual([`waiting for another start to finish (process ${process.pid})`])
})
