import type { SettingsOf } from '../../../entries/contract.ts'
import type { Outcome } from '../../../entries/tool-server.ts'
import { isUnreachable } from '../../../platform/net/failure.ts'
import type { OutboundAnswer } from '../../../platform/net/outbound.ts'
import { seconds } from '../../../shared/time.ts'
import type { keepalive } from '../contract.ts'
import { hostOf } from '../hosts/terms/known-hosts.ts'
import { unexpected } from './expected.ts'

/** The statuses of a host that is waking up. */
const wakingUp = [502, 503, 504]

type Asked = Pick<SettingsOf<typeof keepalive>, 'url' | 'expect'>

/** What an answer means for a run; the note of a failure says why. */
export function outcomeOf(answer: OutboundAnswer, { url, expect }: Asked): Outcome {
  const duration = Math.round(answer.duration)
  if (answer.answered) {
    const { status } = answer
    const note = unwoken(new Set([url, answer.url]), status) ?? unexpected(answer, expect)
    if (note === undefined) return { success: true, duration, count: status }
    if (!wakingUp.includes(status)) return { success: false, duration, count: status, note }
    const startsIn = hostOf(url)?.startsIn
    return { success: false, duration, count: status, note, transient: true, ...(startsIn && { startsIn }) }
  }
  if (answer.wait !== undefined) return { again: answer.wait, crowded: true }
  if (answer.failure === 'internal') return { again: seconds(30), why: answer.note }
  return {
    success: false,
    duration,
    note: answer.note,
    transient: answer.failure === 'dns' || answer.failure === 'connect',
    unreachable: isUnreachable(answer.failure),
  }
}

/** Why an answer with this status is a failure although it may look fine: it leaves the app asleep. */
function unwoken(urls: ReadonlySet<string>, status: number): string | undefined {
  for (const url of urls) {
    const without = hostOf(url)?.wakesNotWith
    if (without === 'any' && status < 400) return `answered ${status} but does not wake the app`
    if (without !== 'any' && without?.includes(status)) return `answered ${status}`
  }
  return undefined
}
