import { TextDecoder } from 'node:util'
import encodingOf from 'html-encoding-sniffer'
import type { SettingsOf } from '../../entries/contract.ts'
import type { Outcome } from '../../entries/tool-server.ts'
import { isUnreachable } from '../../platform/net/failure.ts'
import type { OutboundAnswer } from '../../platform/net/outbound.ts'
import { seconds } from '../../shared/time.ts'
import type { Expect, keepalive } from './contract.ts'
import { hostOf } from './hosts/terms.ts'

/** The statuses of a host that is waking up. */
const wakingUp = [502, 503, 504]

type Asked = Pick<SettingsOf<typeof keepalive>, 'url' | 'expect'>

/** What an answer means for a run; the note of a failure says why. */
export function outcomeOf(answer: OutboundAnswer, { url, expect }: Asked): Outcome {
  const duration = Math.round(answer.duration)
  if (answer.answered) {
    const { status, brokenOff } = answer
    if (brokenOff?.failure === 'internal') return { again: seconds(30), why: brokenOff.note }
    const broken = brokenOff && `the body broke off (${brokenOff.note})`
    const why = unwoken(new Set([url, answer.url]), status) ?? unexpected(answer, expect)
    const ended = { duration, count: status }
    if (why === undefined) return { success: true, ...ended, ...(broken && { note: broken }) }
    const isWaking = wakingUp.includes(status)
    const startsIn = isWaking && hostOf(url)?.startsIn
    return {
      success: false,
      ...ended,
      note: broken ? `${why}; ${broken}` : why,
      ...((isWaking || broken) && { transient: true }),
      ...(startsIn && { startsIn }),
    }
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

type Answer = { status: number; headers: Record<string, string>; body: Uint8Array }

/** How much of a body is searched. */
export const searchedBytes = 65_536

/** Whether the body has to be read. */
export const looksForText = (expect: Expect | null): boolean =>
  expect?.text !== undefined || expect?.absent !== undefined

/** Why an answer is not what was expected, in words; undefined if it is. */
function unexpected({ status, headers, body }: Answer, expect: Expect | null): string | undefined {
  const { statuses, text, absent } = expect ?? {}
  if (statuses === undefined && status >= 400) return `answered ${status}`
  if (statuses !== undefined && !includes(statuses, status))
    return status < 400 ? `answered ${status}, which is not expected` : `answered ${status}`
  if (text === undefined && absent === undefined) return undefined
  const said = composed(decode(body, headers['content-type']))
  if (text !== undefined && !said.includes(text.normalize())) return `answered ${status} but the text is missing`
  if (absent !== undefined && said.includes(absent.normalize())) return `answered ${status} but has the unwanted text`
  return undefined
}

/** More marks on one letter than any writing has: to put them in order takes time by the square of their number. */
const manyMarks = /\p{M}{31}/u
const composed = (text: string) => (manyMarks.test(text) ? text : text.normalize())

/** Whether a list such as `200-399,401` has this status. */
const includes = (statuses: string, status: number): boolean =>
  statuses.split(',').some((part) => {
    const [from, to = from] = part.split('-').map(Number)
    return from !== undefined && to !== undefined && from <= status && status <= to
  })

/** A body as browsers read it: by its byte order mark, else by the header, else by what the page says of itself, else as UTF-8. */
function decode(body: Uint8Array, contentType = ''): string {
  const encoding = encodingOf(body, {
    // Text that is no page says nothing of itself, unless it is XML.
    xml: !/^\s*(?:text\/html\s*)?(?:;|$)/i.test(contentType),
    transportLayerEncodingLabel: /charset\s*=\s*["']?\s*([\w:-]+)/i.exec(contentType)?.[1],
    defaultEncoding: 'UTF-8',
  })
  // Node decodes all encodings but this one, which stands for those that are unsafe.
  return new TextDecoder(encoding === 'replacement' ? 'utf-8' : encoding).decode(body)
}
