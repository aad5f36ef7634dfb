import { expect, test } from 'vitest'
import { allInTurn, nextFlight, singleFlight } from './async.ts'

test('many who ask at once are answered by one piece of work, and whoever asks later by the next', async () => {
  const begun: PromiseWithResolvers<number>[] = []
  const ask = nextFlight(() => {
    const one = Promise.withResolvers<number>()
    begun.push(one)
    return one.promise
  })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const first = [ask(), ask()]
  await turn()
  await turn()
  const second = [ask(), ask(), ask()]
  await turn()
  await turn()
  expect(begun).toHaveLength(1)
  begun[0]!.resolve(1)
  expect(await Promise.all(first)).toEqual([1, 1])
  await turn()
  await turn()
  expect(begun).toHaveLength(2)
  begun[1]!.reject(new Error('made for the test'))
  await expect(Promise.all(second)).rejects.toThrow('made for the test')
  const third = ask()
  await turn()
  await turn()
  begun[2]!.resolve(3)
  expect(await third).toBe(3)
})

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
