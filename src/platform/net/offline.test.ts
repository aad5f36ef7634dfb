import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { isPostponed, notPostponed, offlineScene, recheckDelay } from '../../../test/support/scenes/offline-scene.ts'
import { hours, minutes, seconds } from '../../shared/time.ts'

describe('Runs are postponed', () => {
  test("when targets of two owners and all of the operator's hosts are unreachable", async () => {
    const { offline, silent, probes, metric } = offlineScene()
    expect(await silent('ada', 'a.example')).toBe(notPostponed)
    expect(await silent('bob', 'b.example')).toSatisfy(isPostponed)
    expect(offline.isOffline()).toBe(true)
    expect(probes.toSorted()).toEqual(['https://chat.example', 'https://code.example'])
    expect(await metric('toolbox_offline')).toBe(1)
    expect(await metric('toolbox_turns_postponed_total')).toBe(1)
  })

  test('when three targets that answered within the last hour fall silent, even if all have one owner', async () => {
    const { offline, silent, fine, pass } = offlineScene()
    for (const host of ['a', 'b', 'c']) await fine('ada', `${host}.example`)
    pass(minutes(59))
    expect(await silent('ada', 'a.example')).toBe(recheckDelay)
    expect(await silent('ada', 'b.example')).toBe(recheckDelay)
    expect(await silent('ada', 'c.example')).toSatisfy(isPostponed)
    expect(offline.isOffline()).toBe(true)
  })

  test("until one of the operator's hosts answers a probe, made every five seconds", async () => {
    const { offline, silent, up, pass, probes, resumed } = offlineScene()
    await silent('ada', 'a.example')
    await silent('bob', 'b.example', { id: 'turn:bob' })
    probes.length = 0
    pass(seconds(4))
    expect(await silent('ada', 'a.example', { id: 'turn:ada' })).toSatisfy(isPostponed)
    expect(probes).toEqual([])
    up['https://code.example'] = true
    pass(seconds(1))
    expect(await offline.postpone({ id: 'turn:bob', ownerId: 'bob' })).toBe(0)
    expect(offline.isOffline()).toBe(false)
    // Postponed jobs resume immediately.
    expect(resumed).toEqual(['turn:bob', 'turn:ada'])
  })

  test("until a target answers: one is tried every ten seconds while the operator's hosts stay silent", async () => {
    const { offline, silent, pass } = offlineScene()
    await silent('ada', 'a.example')
    await silent('bob', 'b.example')
    pass(seconds(10))
    expect(await offline.postpone({ id: 'turn:1', ownerId: 'ada' })).toBe(0)
    expect(await offline.postpone({ id: 'turn:2', ownerId: 'bob' })).toBeGreaterThan(0)
    offline.answered('a.example')
    expect(offline.isOffline()).toBe(false)
    expect(await offline.postpone({ id: 'turn:2', ownerId: 'bob' })).toBe(0)
  })

  test('and retried automatically, fifty per second, after one run that checks the network for all', async () => {
    const { offline, silent } = offlineScene()
    await silent('ada', 'a.example')
    const scout = await silent('bob', 'b.example')
    const waits = await Promise.all(
      Array.from({ length: 500 }, (_, i) => offline.postpone({ id: `turn:${i + 9}`, ownerId: 'ada' })),
    )
    const [first = 0, last = 0] = [waits[0], waits.at(-1)]
    expect([scout, first]).toEqual([seconds(5), seconds(15) + 20])
    expect(last - first).toBeCloseTo(499 * 20)
  })

  test('and logged with the start and length of the outage and the number of waiting runs', async () => {
    const { silent, pass, up, offline, lines, metric } = offlineScene()
    await silent('ada', 'a.example')
    await silent('bob', 'b.example', { id: 'turn:b' })
    pass(minutes(10) - seconds(1))
    // Each run counts once, however often it was retried.
    for (const id of ['turn:b', 'turn:c', 'turn:d']) await silent('bob', 'b.example', { id })
    await silent('bob', 'b.example', { id: 'turn:b' })
    up['https://chat.example'] = true
    pass(seconds(11))
    await offline.postpone({ id: 'delivery' })
    expect(lines).toMatchObject([
      { level: 40, msg: expect.stringContaining('No outside host can be reached') },
      { level: 30, seconds: 610, postponed: 3 },
    ])
    expect(await metric('toolbox_offline')).toBe(0)
    expect(await metric('toolbox_turns_postponed_total')).toBe(3)
  })
})

test('a run in progress when the network came back is tried again', async () => {
  const { offline, silent, up, pass } = offlineScene()
  const turn = { id: 'turn', ownerId: 'ada', target: 'c.example', first: false, began: hours(5) }
  await silent('ada', 'a.example')
  await silent('bob', 'b.example')
  up['https://chat.example'] = true
  pass(seconds(6))
  await offline.postpone({ id: 'delivery' })
  pass(seconds(50))
  expect(await offline.postponeSilent(turn)).toBe(recheckDelay)
  expect(await offline.postponeSilent({ ...turn, began: hours(5) + seconds(20) })).toBe(notPostponed)
})

test('concurrent jobs share one probe', async () => {
  const { offline, silent, probes, pass } = offlineScene()
  await silent('ada', 'a.example')
  await silent('bob', 'b.example')
  probes.length = 0
  pass(seconds(10))
  await Promise.all(Array.from({ length: 100 }, (_, i) => offline.postpone({ id: `turn:${i}`, ownerId: 'ada' })))
  expect(probes).toHaveLength(2)
})

test('a second outage is detected and counted separately', async () => {
  const { offline, silent, up, pass, lines, metric } = offlineScene()
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

test('an outage is detected again after a brief recovery that began with a response from a target', async () => {
  const { offline, silent, up, pass } = offlineScene()
  await silent('ada', 'a.example')
  await silent('bob', 'b.example')
  up['https://chat.example'] = true
  pass(seconds(6))
  offline.answered('c.example')
  await turnOfTheLoop()
  pass(seconds(6))
  up['https://chat.example'] = false
  expect(await silent('ada', 'a.example')).toBe(recheckDelay)
  expect(await silent('bob', 'b.example')).toSatisfy(isPostponed)
})

test('a target that was dead before the outage counts as evidence too', async () => {
  const { silent, fine, up, pass } = offlineScene()
  up['https://chat.example'] = true
  await fine('bob', 'b.example')
  expect(await silent('ada', 'a.example')).toBe(notPostponed)
  await fine('bob', 'b.example')
  up['https://chat.example'] = false
  pass(minutes(1))
  expect(await silent('ada', 'a.example')).toBe(recheckDelay)
  expect(await silent('bob', 'b.example')).toSatisfy(isPostponed)
})

test('a target that recovers and falls silent again counts as new evidence', async () => {
  const { silent, fine, offline, pass } = offlineScene()
  await fine('bob', 'b.example')
  await silent('ada', 'a.example')
  await fine('ada', 'a.example')
  pass(minutes(1))
  await silent('ada', 'a.example')
  expect(await silent('bob', 'b.example')).toSatisfy(isPostponed)
  expect(offline.isOffline()).toBe(true)
})

test('remembers the responses of only the latest 10,000 targets', async () => {
  const { silent, offline, fine } = offlineScene()
  for (const host of ['a', 'b', 'c']) await fine('ada', `${host}.example`)
  for (let i = 0; i < 10_000; i++) offline.answered(`${i}.example`)
  for (const host of ['a', 'b', 'c']) expect(await silent('ada', `${host}.example`)).toBe(recheckDelay)
})

describe('A run without a response is recorded', () => {
  test('when no other owner has entries, however many of its owner’s targets are dead', async () => {
    const { silent, probes } = offlineScene()
    for (let i = 0; i < 50; i++) expect(await silent('ada', `dead${i}.example`)).toBe(notPostponed)
    // The evidence could never suffice, so no host is probed.
    expect(probes).toEqual([])
  })

  test("when one of the operator's hosts answers, or refuses the handshake", async () => {
    for (const state of [true, 'tls', 'http'] as const) {
      const { silent, up, offline } = offlineScene()
      up['https://code.example'] = state
      expect(await silent('ada', 'a.example')).toBe(notPostponed)
      expect(await silent('bob', 'b.example')).toBe(notPostponed)
      expect(offline.isOffline()).toBe(false)
    }
  })

  test('when any target has answered since its own fell silent', async () => {
    const { silent, fine, offline, pass } = offlineScene()
    await fine('cyd', 'c.example')
    pass(seconds(1))
    expect(await silent('ada', 'a.example')).toBe(recheckDelay)
    await fine('cyd', 'c.example')
    pass(seconds(15))
    expect(await silent('ada', 'a.example')).toBe(notPostponed)
    // A target that stayed silent while others answered is no evidence.
    expect(await silent('bob', 'b.example')).toBe(recheckDelay)
    expect(offline.isOffline()).toBe(false)
  })

  test('when its target answered with a redirect to a silent host', async () => {
    const { offline, silent, pass } = offlineScene()
    await silent('ada', 'a.example')
    const turn = { id: 'turn', ownerId: 'bob' }
    await offline.postpone(turn)
    offline.answered('b.example')
    pass(seconds(60))
    const began = hours(5)
    expect(await offline.postponeSilent({ ...turn, target: 'b.example', first: false, began })).toBe(notPostponed)
  })

  test('when the evidence stays insufficient for a minute', async () => {
    const { silent, fine, pass } = offlineScene()
    await fine('bob', 'b.example')
    const outcomes = []
    for (let turn = 0; turn < 5; turn++) {
      outcomes.push(await silent('ada', 'a.example'))
      pass(seconds(15))
    }
    expect(outcomes).toEqual([...Array(4).fill(recheckDelay), notPostponed])
  })

  test("immediately as the entry's first run, unless the network looks down", async () => {
    const { silent, fine, probes } = offlineScene()
    await fine('bob', 'b.example')
    expect(await silent('ada', 'a.example', { first: true })).toBe(notPostponed)
    expect(probes).toEqual([])
    expect(await silent('bob', 'b.example', { first: true })).toBeGreaterThan(notPostponed)
  })

  test('when other targets fell silent over three minutes ago, or last answered over an hour ago', async () => {
    const { silent, fine, pass, offline } = offlineScene()
    await silent('ada', 'a.example')
    pass(minutes(4))
    expect(await silent('bob', 'b.example')).toBe(recheckDelay)
    for (const host of ['x', 'y', 'z']) await fine('cyd', `${host}.example`)
    pass(minutes(61))
    for (const host of ['x', 'y', 'z']) await silent('cyd', `${host}.example`)
    expect(offline.isOffline()).toBe(false)
  })
})

describe('One owner cannot make the network look down', () => {
  test("with fifty dead hosts while another owner's target answers, even if operator hosts are silent", async () => {
    const { silent, fine, pass } = offlineScene()
    let victim = 0
    let mallory = 0
    for (let minute = 0; minute < 30; minute++) {
      await fine('cyd', 'c.example')
      for (let i = 0; i < 50; i++) await silent('mallory', `dead${mallory++ % 50}.example`)
      // The victim's dead host is tried every minute, and again after each postponement.
      for (let tries = 0; tries < 4; tries++) {
        if ((await silent('bob', 'b.example', { id: 'turn:bob' })) === notPostponed) {
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

  test("or cause more than one probe of the operator's hosts in five seconds", async () => {
    const { silent, up, probes, pass } = offlineScene()
    up['https://chat.example'] = up['https://code.example'] = true
    for (let i = 0; i < 600; i++) {
      await silent(i % 2 ? 'ada' : 'mallory', `dead${i}.example`)
      pass(99)
    }
    expect(probes.length).toBeLessThanOrEqual(13)
    // The operator's hosts are probed in turn.
    expect(new Set(probes).size).toBe(2)
  })
})
