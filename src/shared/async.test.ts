import { expect, test } from 'vitest'
import { closeAll, runInSequence, singleFlight } from './async.ts'

test('concurrent calls with the same key share one execution; later calls run again', async () => {
  const flight = singleFlight<string>()
  const begun: PromiseWithResolvers<string>[] = []
  const ask = (key: string) =>
    flight(key, () => {
      const one = Promise.withResolvers<string>()
      begun.push(one)
      return one.promise
    })
  const [first, same, other] = [ask('a'), ask('a'), ask('b')]
  expect(begun).toHaveLength(2)
  begun[0]!.reject(new Error('made for the test'))
  begun[1]!.resolve('b')
  expect(await Promise.allSettled([first, same, other])).toMatchObject([
    { status: 'rejected' },
    { status: 'rejected' },
    { value: 'b' },
  ])
  const later = ask('a')
  begun[2]!.resolve('again')
  expect(await later).toBe('again')
})

test('allInTurn continues after failures and throws all of them at the end', async () => {
  const done: number[] = []
  const fail = (why: string) => () => Promise.reject(new Error(why))
  const works = [() => done.push(1), fail('one'), () => done.push(2), fail('other')]
  await expect(runInSequence(works)).rejects.toThrow('one other')
  await expect(runInSequence(works.slice(0, 3))).rejects.toThrow(/^one$/)
  expect(done).toEqual([1, 2, 1, 2])
})

test('closeAll closes everything before it reports failures and timeouts', async () => {
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
