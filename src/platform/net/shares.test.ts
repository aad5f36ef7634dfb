import { expect, test } from 'vitest'
import { systemError } from '../../../test/support/outbound-client.ts'
import { seconds } from '../../shared/time.ts'
import { machineResolve, zoneOf } from './names.ts'

/** Name servers that answer when the test makes them, and the names they were queried for. */
function scene() {
  let at = 0
  const queries: string[] = []
  const open = new Map<string, { answer: (addresses: string[]) => void; fail: (error: Error) => void }>()
  const ask = (host: string) => {
    queries.push(host)
    return new Promise<readonly string[]>((answer, fail) => open.set(host, { answer, fail }))
  }
  const resolve = machineResolve(() => at, { hostsFile: '/dev/null', ask, lookUp: async () => ['10.0.0.1'] })
  const turn = () => new Promise(setImmediate)
  return {
    queries,
    turn,
    pass: (ms: number) => {
      at += ms
    },
    lookUp: (owner: string, host: string, isWanted = true) =>
      resolve(host, { owner, isWanted: () => isWanted, untilReported: () => seconds(3) }).catch(
        (error: { code: string }) => error.code,
      ),
    ofOperator: (host: string) => resolve(host),
    async answer(host: string) {
      open.get(host)!.answer(['192.0.2.1'])
      await turn()
    },
    async fail(host: string, code = 'ETIMEOUT') {
      open.get(host)!.fail(systemError(code))
      await turn()
    },
  }
}

test('a thousand names of one owner take half of the lookups, and no other owner waits behind them', async () => {
  const { queries, turn, lookUp, ofOperator, answer } = scene()
  for (let n = 0; n < 1_000; n++) void lookUp('eve', `a.n${n}.test`)
  await turn()
  expect(queries).toHaveLength(32)
  const found = [lookUp('ada', 'app.test'), lookUp('bob', 'app.example'), ofOperator('discord.test')]
  await turn()
  for (const host of ['app.test', 'app.example', 'discord.test']) await answer(host)
  expect(await Promise.all(found)).toEqual([['192.0.2.1'], ['192.0.2.1'], ['192.0.2.1']])
})

test('the owner with the fewest lookups is next, and the operator waits for none of them', async () => {
  const { queries, turn, lookUp, ofOperator, answer } = scene()
  for (let owner = 0; owner < 6; owner++)
    for (let n = 0; n < 99; n++) void lookUp(`eve${owner}`, `n${n}.of${owner}.test`)
  void lookUp('last', 'a.last.test')
  await turn()
  expect(queries).toHaveLength(64)
  void lookUp('ada', 'app.test')
  void ofOperator('discord.test')
  await turn()
  expect(queries.splice(64)).toEqual(['discord.test'])
  await answer(queries[0]!)
  expect(queries.slice(64)).toEqual(['app.test'])
})

test('after a query without a response, a zone is queried for one name at a time until it responds', async () => {
  const { queries, turn, lookUp, answer, fail } = scene()
  const first = lookUp('eve', 'a.silent.test')
  await turn()
  await fail('a.silent.test')
  expect(await first).toBe('ETIMEOUT')
  const others = ['b', 'c', 'd', 'e'].map((name) => lookUp('eve', `${name}.silent.test`))
  await turn()
  expect(queries.splice(0)).toEqual(['a.silent.test', 'b.silent.test'])
  await fail('b.silent.test')
  expect(queries.splice(0)).toEqual(['c.silent.test'])
  await fail('c.silent.test', 'ENOTFOUND')
  expect(queries.splice(0)).toEqual(['d.silent.test', 'e.silent.test'])
  await answer('d.silent.test')
  await answer('e.silent.test')
  expect(await Promise.all(others)).toEqual(['ETIMEOUT', ['10.0.0.1'], ['192.0.2.1'], ['192.0.2.1']])
})

test('a name in an unresponsive zone waits at most five seconds, and no owner delays a zone for others', async () => {
  const { queries, turn, pass, lookUp, fail } = scene()
  void lookUp('eve', 'a.silent.test')
  await turn()
  await fail('a.silent.test')
  void lookUp('eve', 'b.silent.test')
  const late = lookUp('eve', 'c.silent.test')
  await turn()
  pass(seconds(5))
  await fail('b.silent.test')
  // The other probe has ended, so this name is queried even though its wait is over.
  expect(await Promise.race([late, turn().then(() => queries.at(-1))])).toBe('c.silent.test')
  for (const name of ['x', 'y']) void lookUp('ada', `${name}.silent.test`)
  await turn()
  expect(queries.slice(-2)).toEqual(['x.silent.test', 'y.silent.test'])
})

test('a name whose result is no longer needed is not queried', async () => {
  const { queries, turn, lookUp } = scene()
  await lookUp('eve', 'gone.test', false)
  await turn()
  expect(queries).toEqual([])
})

test('a zone is roughly the registered domain', () => {
  const zones = ['a.b.example.com', 'example.com.', 'a.example.co.uk', 'b.example.de', 'app', 'x.onrender.com']
  expect(zones.map(zoneOf)).toEqual([
    'example.com',
    'example.com',
    'example.co.uk',
    'example.de',
    'app',
    'onrender.com',
  ])
})
