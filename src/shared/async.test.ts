import { expect, test } from 'vitest'
import { allInTurn, singleFlight } from './async.ts'

test('work by one key is done once for all who ask while it is under way, and anew afterwards', async () => {
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

test('work in turn goes on after what fails, and throws all of that at the end', async () => {
  const done: number[] = []
  const fail = (why: string) => () => Promise.reject(new Error(why))
  const works = [() => done.push(1), fail('one'), () => done.push(2), fail('other')]
  await expect(allInTurn(works)).rejects.toThrow('one other')
  await expect(allInTurn(works.slice(0, 3))).rejects.toThrow(/^one$/)
  expect(done).toEqual([1, 2, 1, 2])
})
