import { describe, expect, test } from 'vitest'
import { lookedAtAgain, offlineScene, recorded } from '../../../test/support/scenes/offline-scene.ts'
import { hours, minutes, seconds } from '../../shared/time.ts'

describe('A turn without an answer is recorded', () => {
  test('when nobody but its owner keeps entries, however many of them are dead', async () => {
    const { silent, probes } = offlineScene()
    for (let i = 0; i < 50; i++) expect(await silent('ada', `dead${i}.example`)).toBe(recorded)
    // There could never be enough evidence.
    expect(probes).toEqual([])
  })

  test('when an operator host answers, or refuses the handshake', async () => {
    for (const state of [true, 'tls', 'http'] as const) {
      const { silent, up, offline } = offlineScene()
      up['https://code.example'] = state
      expect(await silent('ada', 'a.example')).toBe(recorded)
      expect(await silent('bob', 'b.example')).toBe(recorded)
      expect(offline.isOffline()).toBe(false)
    }
  })

  test('when anything answered since it fell silent', async () => {
    const { silent, fine, offline, pass } = offlineScene()
    await fine('cyd', 'c.example')
    pass(seconds(1))
    expect(await silent('ada', 'a.example')).toBe(lookedAtAgain)
    await fine('cyd', 'c.example')
    pass(seconds(15))
    expect(await silent('ada', 'a.example')).toBe(recorded)
    // A target that was silent already while others answered is no evidence.
    expect(await silent('bob', 'b.example')).toBe(lookedAtAgain)
    expect(offline.isOffline()).toBe(false)
  })

  test('when its own target answered, and led to another that did not', async () => {
    const { offline, silent, pass } = offlineScene()
    await silent('ada', 'a.example')
    const turn = { id: 'turn', ownerId: 'bob' }
    await offline.postpone(turn)
    offline.answered('b.example')
    pass(seconds(60))
    const began = hours(5)
    expect(await offline.judge({ ...turn, target: 'b.example', first: false, began })).toBe(recorded)
  })

  test('when there is too little evidence for a minute', async () => {
    const { silent, fine, pass } = offlineScene()
    await fine('bob', 'b.example')
    const outcomes = []
    for (let turn = 0; turn < 5; turn++) {
      outcomes.push(await silent('ada', 'a.example'))
      pass(seconds(15))
    }
    expect(outcomes).toEqual([...Array(4).fill(lookedAtAgain), recorded])
  })

  test('at once when it is the first, unless there is evidence enough', async () => {
    const { silent, fine, probes } = offlineScene()
    await fine('bob', 'b.example')
    expect(await silent('ada', 'a.example', { first: true })).toBe(recorded)
    expect(probes).toEqual([])
    expect(await silent('bob', 'b.example', { first: true })).toBeGreaterThan(recorded)
  })

  test('when silence of others is long past, and when theirs was answered more than an hour ago', async () => {
    const { silent, fine, pass, offline } = offlineScene()
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
    const { silent, fine, pass } = offlineScene()
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
    const { silent, up, probes, pass } = offlineScene()
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
