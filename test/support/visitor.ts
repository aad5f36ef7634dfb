import { setImmediate } from 'node:timers/promises'
import { onTestFinished, vi } from 'vitest'
import { type OutboundSettings, outbound } from '../../src/platform/net/client.ts'
import type { Outbound, OutboundAnswer } from '../../src/platform/net/outbound.ts'
import { minutes } from '../../src/shared/time.ts'
import type { FakeWeb } from './fakes/fake-web.ts'

const settings = { allowPrivateCidrs: ['127.0.0.0/8'], exempt: [], now: Date.now, version: '0.1.0' }

/** An outbound client that may visit 127.0.0.0/8, or whatever else the settings say. */
export const visitor = (more: Partial<OutboundSettings> = {}): Outbound =>
  outbound({ ...settings, baseUrl: 'https://box.example.com', ...more })

/** `answered 200`, or what went wrong as `failure | note`. */
export async function noteOf(answer: Promise<OutboundAnswer>): Promise<string> {
  const outcome = await answer
  return outcome.answered ? `answered ${outcome.status}` : `${outcome.failure} | ${outcome.note}`
}

/** Lets a minute pass for timers once this path has answered that much, and no more comes. */
export function timeOutAfter(web: FakeWeb, path: string, answered: string) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  web.on(path, async (_, { socket }) => {
    socket?.write(answered)
    // The visitor reads it in one of the next turns.
    for (let turn = 0; turn < 10; turn += 1) await setImmediate()
    vi.advanceTimersByTime(minutes(1))
  })
}

/** An error as the system makes them. */
export const systemError = (code: string): Error => Object.assign(new Error('made for the test'), { code })
