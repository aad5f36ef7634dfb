import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { hours, minutes, seconds } from '../../../shared/time.ts'
import { createMetrics } from '../../metrics.ts'
import type { OutboundAnswer, OutboundFailure } from '../outbound.ts'
import { createOffline } from './offline.ts'

/** The judge with two operators' hosts, a clock that moves when told, and turns that end as a test says. */
function scene() {
  let at = hours(5)
  let serial = 0
  const up: Record<string, boolean | OutboundFailure> = { 'https://chat.example': false, 'https://code.example': false }
  const probes: string[] = []
  const lines: { msg: string; [field: string]: unknown }[] = []
  const metrics = createMetrics()
  const resumed: string[] = []
  const answerOf = (state: boolean | OutboundFailure | undefined, url: string): OutboundAnswer =>
    state === true
      ? { answered: true, status: 404, headers: {}, body: new Uint8Array(), url, duration: 1 }
      : { answered: false, failure: state || 'connect', note: 'connect: unreachable', duration: 1 }
  const offline = createOffline({
    hosts: Object.keys(up),
    outbound: {
      request: async (url) => {
        probes.push(url)
        return answerOf(up[url], url)
      },
    },
    elapsed: () => at,
    log: pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    metrics,
    resume: (ids) => void resumed.push(...ids),
  })
  const pass = (ms: number) => {
    at += ms
  }
  return {
    offline,
    up,
    probes,
    lines,
    resumed,
    pass,
    metric: async (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await metrics.text())?.[1]),
    /** A turn that gets no answer; answers for how long it is postponed. */
    async silent(ownerId: string, target: string, more: { id?: string; first?: boolean } = {}) {
      const turn = { id: more.id ?? `turn:${serial++}`, ownerId, target, first: more.first ?? false }
      const wait = await offline.postpone(turn)
      if (wait > 0) return wait
      const began = at
      pass(1)
      return offline.judge({ ...turn, began })
    },
    /** A turn that gets an answer. */
    async fine(ownerId: string, target: string) {
      if ((await offline.postpone({ id: `turn:${serial++}`, ownerId })) > 0) return
      pass(1)
      offline.answered(target)
    },
  }
}
const recorded = 0
const lookedAtAgain = seconds(15)
const postponed = (ms: number) => ms === seconds(5) || ms > seconds(15)

describe('Turns are postponed', () => {
  test('when targets of two owners and every operator host are out of reach', async () => {
    const { offline, silent, probes, metric } = scene()
    expect(await silent('ada', 'a.example')).toBe(recorded)
    expect(await silent('bob', 'b.example')).toSatisfy(postponed)
    expect(offline.isOffline()).toBe(true)
    expect(probes.toSorted()).toEqual(['https://chat.example', 'https://code.example'])
    expect(await metric('toolbox_offline')).toBe(1)
    expect(await metric('toolbox_turns_postponed_total')).toBe(1)
  })

  test('when three targets that answered within the last hour fall silent, whosever they are', async () => {
    const { offline, silent, fine, pass } = scene()
    for (const host of ['a', 'b', 'c']) await fine('ada', `${host}.example`)
    pass(minutes(59))
    expect(await silent('ada', 'a.example')).toBe(lookedAtAgain)
    expect(await silent('ada', 'b.example')).toBe(lookedAtAgain)
    expect(await silent('ada', 'c.example')).toSatisfy(postponed)
    expect(offline.isOffline()).toBe(true)
  })

  test('until an operator host answers, which is asked every five seconds', async () => {
    const { offline, silent, up, pass, probes, resumed } = scene()
    await silent('ada', 'a.example')
    await silent('bob', 'b.example', { id: 'turn:bob' })
    probes.length = 0
    pass(seconds(4))
    expect(await silent('ada', 'a.example', { id: 'turn:ada' })).toSatisfy(postponed)
    expect(probes).toEqual([])
    up['https://code.example'] = true
    pass(seconds(1))
    expect(await offline.postpone({ id: 'turn:bob', ownerId: 'bob' })).toBe(0)
    expect(offline.isOffline()).toBe(false)
    // And whatever waits need wait no longer.
    expect(resumed).toEqual(['turn:bob', 'turn:ada'])
  })

  test("until a target answers: one is tried every ten seconds, where operators' hosts stay silent", async () => {
    const { offline, silent, pass } = scene()
    await silent('ada', 'a.example')
    await silent('bob', 'b.example')
    pass(seconds(10))
    expect(await offline.postpone({ id: 'turn:1', ownerId: 'ada' })).toBe(0)
    expect(await offline.postpone({ id: 'turn:2', ownerId: 'bob' })).toBeGreaterThan(0)
    offline.answered('a.example')
    expect(offline.isOffline()).toBe(false)
    expect(await offline.postpone({ id: 'turn:2', ownerId: 'bob' })).toBe(0)
  })

  test('and come back by themselves, fifty a second; one of them sooner, which asks for all', async () => {
    const { offline, silent } = scene()
    await silent('ada', 'a.example')
    const scout = await silent('bob', 'b.example')
    const waits = await Promise.all(
      Array.from({ length: 500 }, (_, i) => offline.postpone({ id: `turn:${i + 9}`, ownerId: 'ada' })),
    )
    const [first = 0, last = 0] = [waits[0], waits.at(-1)]
    expect([scout, first]).toEqual([seconds(5), seconds(15) + 20])
    expect(last - first).toBeCloseTo(499 * 20)
  })

  test('and the log says when it began, how long it lasted and how many waited', async () => {
    const { silent, pass, up, offline, lines, metric } = scene()
    await silent('ada', 'a.example')
    await silent('bob', 'b.example', { id: 'turn:b' })
    pass(minutes(10) - seconds(1))
    // Each turn counts once, however often it came back.
    for (const id of ['turn:b', 'turn:c', 'turn:d']) await silent('bob', 'b.example', { id })
    await silent('bob', 'b.example', { id: 'turn:b' })
    up['https://chat.example'] = true
    pass(seconds(11))
    await offline.postpone({ id: 'delivery' })
    expect(lines).toMatchObject([
      { level: 40, msg: expect.stringContaining('Nothing outside can be reached') },
      { level: 30, seconds: 610, postponed: 3 },
    ])
    expect(await metric('toolbox_offline')).toBe(0)
    expect(await metric('toolbox_turns_postponed_total')).toBe(3)
  })
})

describe('A turn without an answer is recorded', () => {
  test('when nobody but its owner keeps entries, however many of them are dead', async () => {
    const { silent, probes } = scene()
    for (let i = 0; i < 50; i++) expect(await silent('ada', `dead${i}.example`)).toBe(recorded)
    // Nothing could ever come of asking.
    expect(probes).toEqual([])
  })

  test('when an operator host answers, or refuses the handshake', async () => {
    for (const state of [true, 'tls', 'http'] as const) {
      const { silent, up, offline } = scene()
      up['https://code.example'] = state
      expect(await silent('ada', 'a.example')).toBe(recorded)
      expect(await silent('bob', 'b.example')).toBe(recorded)
      expect(offline.isOffline()).toBe(false)
    }
  })

  test('when anything answered since it fell silent', async () => {
    const { silent, fine, offline, pass } = scene()
    await fine('cyd', 'c.example')
    pass(seconds(1))
    expect(await silent('ada', 'a.example')).toBe(lookedAtAgain)
    await fine('cyd', 'c.example')
    pass(seconds(15))
    expect(await silent('ada', 'a.example')).toBe(recorded)
    // And what was silent already while others answered says nothing about the network.
    expect(await silent('bob', 'b.example')).toBe(lookedAtAgain)
    expect(offline.isOffline()).toBe(false)
  })

  test('when its own target answered, and led to another that did not', async () => {
    const { offline, silent, pass } = scene()
    await silent('ada', 'a.example')
    const turn = { id: 'turn', ownerId: 'bob' }
    await offline.postpone(turn)
    offline.answered('b.example')
    pass(seconds(60))
    const began = hours(5)
    expect(await offline.judge({ ...turn, target: 'b.example', first: false, began })).toBe(recorded)
  })

  test('when there is too little evidence for a minute', async () => {
    const { silent, fine, pass } = scene()
    await fine('bob', 'b.example')
    const outcomes = []
    for (let turn = 0; turn < 5; turn++) {
      outcomes.push(await silent('ada', 'a.example'))
      pass(seconds(15))
    }
    expect(outcomes).toEqual([...Array(4).fill(lookedAtAgain), recorded])
  })

  test('at once when it is the first, unless there is evidence enough', async () => {
    const { silent, fine, probes } = scene()
    await fine('bob', 'b.example')
    expect(await silent('ada', 'a.example', { first: true })).toBe(recorded)
    expect(probes).toEqual([])
    expect(await silent('bob', 'b.example', { first: true })).toBeGreaterThan(recorded)
  })

  test('when silence of others is long past, and when theirs was answered more than an hour ago', async () => {
    const { silent, fine, pass, offline } = scene()
    await silent('ada', 'a.example')
    pass(minutes(4))
    expect(await silent('bob', 'b.example')).toBe(lookedAtAgain)
    for (const host of ['x', 'y', 'z']) await fine('cyd', `${host}.example`)
    pass(minutes(61))
    for (const host of ['x', 'y', 'z']) await silent('cyd', `${host}.example`)
    expect(offline.isOffline()).toBe(false)
  })
})

describe('One owner cannot make the network look down', () => {
  test("with fifty dead hosts while anything of others answers, though operators' hosts are silent", async () => {
    const { silent, fine, pass } = scene()
    let victim = 0
    let mallory = 0
    for (let minute = 0; minute < 30; minute++) {
      await fine('cyd', 'c.example')
      for (let i = 0; i < 50; i++) await silent('mallory', `dead${mallory++ % 50}.example`)
      // The victim's dead host is tried every minute, and as often as it is postponed within it.
      for (let tries = 0; tries < 4; tries++) {
        if ((await silent('bob', 'b.example', { id: 'turn:bob' })) === recorded) {
          victim += 1
          break
        }
        pass(seconds(15))
        await fine('cyd', 'c.example')
      }
      pass(minutes(1))
    }
    expect(victim).toBeGreaterThanOrEqual(29)
  })

  test("nor make operators' hosts be asked more than once in five seconds", async () => {
    const { silent, up, probes, pass } = scene()
    up['https://chat.example'] = up['https://code.example'] = true
    for (let i = 0; i < 600; i++) {
      await silent(i % 2 ? 'ada' : 'mallory', `dead${i}.example`)
      pass(99)
    }
    expect(probes.length).toBeLessThanOrEqual(13)
    // Each of them has its turn.
    expect(new Set(probes).size).toBe(2)
  })
})

test('a turn that was under way when the network came back is looked at again', async () => {
  const { offline, silent, up, pass } = scene()
  const turn = { id: 'turn', ownerId: 'ada', target: 'c.example', first: false, began: hours(5) }
  await silent('ada', 'a.example')
  await silent('bob', 'b.example')
  up['https://chat.example'] = true
  pass(seconds(6))
  await offline.postpone({ id: 'delivery' })
  pass(seconds(50))
  expect(await offline.judge(turn)).toBe(lookedAtAgain)
  expect(await offline.judge({ ...turn, began: hours(5) + seconds(20) })).toBe(recorded)
})

test('many that ask at the same time share one probe', async () => {
  const { offline, silent, probes, pass } = scene()
  await silent('ada', 'a.example')
  await silent('bob', 'b.example')
  probes.length = 0
  pass(seconds(10))
  await Promise.all(Array.from({ length: 100 }, (_, i) => offline.postpone({ id: `turn:${i}`, ownerId: 'ada' })))
  expect(probes).toHaveLength(2)
})

test('an outage that follows another is noticed anew, and counted by itself', async () => {
  const { offline, silent, up, pass, lines, metric } = scene()
  for (let outage = 0; outage < 2; outage++) {
    await silent('ada', 'a.example')
    await silent('bob', 'b.example', { id: 'turn:bob' })
    expect(offline.isOffline()).toBe(true)
    up['https://chat.example'] = true
    pass(seconds(11))
    await offline.postpone({ id: 'delivery' })
    expect(offline.isOffline()).toBe(false)
    up['https://chat.example'] = false
    pass(seconds(6))
  }
  expect(lines.flatMap(({ postponed }) => postponed ?? [])).toEqual([1, 1])
  expect(await metric('toolbox_turns_postponed_total')).toBe(2)
})

test('a network that comes back for a moment only, and is first heard of by a target, is noticed anew', async () => {
  const { offline, silent, up, pass } = scene()
  await silent('ada', 'a.example')
  await silent('bob', 'b.example')
  up['https://chat.example'] = true
  pass(seconds(6))
  offline.answered('c.example')
  await turnOfTheLoop()
  pass(seconds(6))
  up['https://chat.example'] = false
  expect(await silent('ada', 'a.example')).toBe(lookedAtAgain)
  expect(await silent('bob', 'b.example')).toSatisfy(postponed)
})

test('a target that was dead before the network was is evidence like any other', async () => {
  const { silent, fine, up, pass } = scene()
  up['https://chat.example'] = true
  await fine('bob', 'b.example')
  expect(await silent('ada', 'a.example')).toBe(recorded)
  await fine('bob', 'b.example')
  up['https://chat.example'] = false
  pass(minutes(1))
  expect(await silent('ada', 'a.example')).toBe(lookedAtAgain)
  expect(await silent('bob', 'b.example')).toSatisfy(postponed)
})

test('a target that answered again is new evidence when it falls silent', async () => {
  const { silent, fine, offline, pass } = scene()
  await fine('bob', 'b.example')
  await silent('ada', 'a.example')
  await fine('ada', 'a.example')
  pass(minutes(1))
  await silent('ada', 'a.example')
  expect(await silent('bob', 'b.example')).toSatisfy(postponed)
  expect(offline.isOffline()).toBe(true)
})

test('what is remembered is bounded', async () => {
  const { silent, offline, fine } = scene()
  for (const host of ['a', 'b', 'c']) await fine('ada', `${host}.example`)
  for (let i = 0; i < 10_000; i++) offline.answered(`${i}.example`)
  for (const host of ['a', 'b', 'c']) expect(await silent('ada', `${host}.example`)).toBe(lookedAtAgain)
})
