import { type OutboundSettings, outbound } from '../../src/platform/net/client.ts'
import type { Outbound, OutboundAnswer } from '../../src/platform/net/outbound.ts'

const settings = { allowPrivateCidrs: ['127.0.0.0/8'], exempt: [], now: Date.now, version: '0.1.0' }

/** An outbound client that may visit 127.0.0.0/8, or whatever else the settings say. */
export const visitor = (more: Partial<OutboundSettings> = {}): Outbound =>
  outbound({ ...settings, baseUrl: 'https://box.example.com', ...more })

/** `answered 200`, or what went wrong as `failure | note`. */
export async function noteOf(answer: Promise<OutboundAnswer>): Promise<string> {
  const outcome = await answer
  return outcome.answered ? `answered ${outcome.status}` : `${outcome.failure} | ${outcome.note}`
}

/** An error as the system makes them. */
export const systemError = (code: string): Error => Object.assign(new Error('made for the test'), { code })
