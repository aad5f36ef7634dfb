import { describe, expect, test } from 'vitest'
import { notPostponed, offlineScene, recheckDelay } from '../../../test/support/scenes/offline-scene.ts'
import { hours, minutes, seconds } from '../../shared/time.ts'

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
