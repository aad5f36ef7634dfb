import { setImmediate } from 'node:timers/promises'
import { onTestFinished, vi } from 'vitest'
import { type OutboundSettings, outbound } from '../../src/platform/net/client.ts'
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../src/platform/net/outbound.ts'
import { minutes } from '../../src/shared/time.ts'
import type { FakeWeb } from './fakes/fake-web.ts'

const settings = { allowPrivateCidrs: ['127.0.0.0/8'], exempt: [], elapsed: Date.now, now: Date.now, version: '0.1.0' }

/** An outbound client that may visit 127.0.0.0/8, unless the settings override it. */
export const testOutbound = (more: Partial<OutboundSettings> = {}): Outbound =>
  outbound({ ...settings, baseUrl: 'https://box.example.com', ...more })

/** Describes an answer: `answered 200`, or an error as `failure | note`. */
export async function describeAnswer(answer: Promise<OutboundAnswer>): Promise<string> {
  const outcome = await answer
  return outcome.answered ? `answered ${outcome.status}` : `${outcome.failure} | ${outcome.note}`
}

/** Visits a URL with a client of these settings, and describes the answer. */
export const outcomeOf = (url: string, settings?: Partial<OutboundSettings>, options?: Partial<OutboundRequest>) =>
  describeAnswer(testOutbound(settings).request(url, { timeout: minutes(1), ...options }))

/** Makes this path send an incomplete response, then advances timers by a minute. */
export function timeOutAfter(web: FakeWeb, path: string, answered: string) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  web.on(path, async (_, { socket }) => {
    socket?.write(answered)
    // Gives the client a few turns of the event loop to read it.
    for (let turn = 0; turn < 10; turn += 1) await setImmediate()
    vi.advanceTimersByTime(minutes(1))
  })
}

export const systemError = (code: string): Error => Object.assign(new Error('made for the test'), { code })
