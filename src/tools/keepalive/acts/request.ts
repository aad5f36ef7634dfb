import { TextDecoder } from 'node:util'
import encodingOf from 'html-encoding-sniffer'
import type { SettingsOf } from '../../../entries/contract.ts'
import type { Outcome, RunOf } from '../../../entries/tool-server.ts'
import type { Context } from '../../../platform/context.ts'
import type { OutboundAnswer } from '../../../platform/net/outbound.ts'
import { seconds } from '../../../shared/time.ts'
import { recordCertificate } from '../certificates.ts'
import type { KeepaliveConfig } from '../config.ts'
import type { Expect, Headers, keepalive } from '../contract.ts'
import { hostOf } from '../hosts/terms.ts'
import { type Answer, longestRead, noAnswerOutcome } from './act.ts'

export const wakingStatuses = [502, 503, 504]

const redirects = 5

export async function ping(
  { url, method, headers, expect }: SettingsOf<typeof keepalive>,
  context: Context<KeepaliveConfig>,
  { entryId, editedAt, visitor }: RunOf,
): Promise<Outcome> {
  const answer = await context.outbound.request(url, {
    visitor,
    method,
    ownHeaders: headersToSend(headers),
    timeout: context.config.keepaliveTimeout,
    redirects,
    reportsCertificate: true,
    ...(looksForText(expect) && { maxBytes: longestRead, partialBody: true }),
  })
  const validTo = answer.answered ? answer.certifiedUntil : undefined
  return { ...outcomeOf(answer, { url, expect }), ...recordCertificate(context, { entryId, editedAt, url, validTo }) }
}

const headersToSend = (headers: Headers): Record<string, string> =>
  Object.fromEntries(headers.flatMap(({ name, value }) => (value === '' ? [] : [[name, value]])))

type Asked = Pick<SettingsOf<typeof keepalive>, 'url' | 'expect'>

export function outcomeOf(answer: OutboundAnswer, { url, expect }: Asked): Outcome {
  if (!answer.answered) return noAnswerOutcome(answer)
  const { status, brokenOff } = answer
  if (brokenOff?.failure === 'internal') return { retryIn: seconds(30), why: brokenOff.note }
  const broken = brokenOff && `the body broke off (${brokenOff.note})`
  const why = asleepReason(new Set([url, answer.url]), status) ?? mismatchReason(answer, expect)
  const measured = { duration: Math.round(answer.duration), count: status }
  if (why === undefined) return { success: true, ...measured, ...(broken && { note: broken }) }
  const isWaking = wakingStatuses.includes(status)
  const startsIn = isWaking && hostOf(url)?.startsIn
  return {
    success: false,
    ...measured,
    note: broken ? `${why}; ${broken}` : why,
    ...((isWaking || broken) && { transient: true }),
    ...(startsIn && { startsIn }),
  }
}

/** Why a response with this status is a failure even if it looks fine: it leaves the app asleep. */
function asleepReason(urls: ReadonlySet<string>, status: number): string | undefined {
  for (const url of urls) {
    const without = hostOf(url)?.statusesThatDontWake
    if (without === 'any' && status < 400) return `answered ${status} but does not wake the app`
    if (without !== 'any' && without?.includes(status)) return `answered ${status}`
  }
  return undefined
}

export const looksForText = (expect: Expect | null): boolean =>
  expect?.text !== undefined || expect?.absent !== undefined

function mismatchReason({ status, headers, body }: Answer, expect: Expect | null): string | undefined {
  const { statuses, text, absent } = expect ?? {}
  if (statuses === undefined && status >= 400) return `answered ${status}`
  if (statuses !== undefined && !includesStatus(statuses, status))
    return status < 400 ? `answered ${status}, which is not expected` : `answered ${status}`
  if (text === undefined && absent === undefined) return undefined
  const content = normalizeText(decode(body, headers['content-type']))
  if (text !== undefined && !content.includes(text.normalize())) return `answered ${status} but the text is missing`
  if (absent !== undefined && content.includes(absent.normalize()))
    return `answered ${status} but has the unwanted text`
  return undefined
}

/** More marks on a letter than any script uses. Normalization would take quadratic time for them. */
const manyMarks = /\p{M}{31}/u
const normalizeText = (text: string) => (manyMarks.test(text) ? text : text.normalize())

/** Whether a list such as `200-399,401` includes this status. */
const includesStatus = (statuses: string, status: number): boolean =>
  statuses.split(',').some((part) => {
    const [from, to = from] = part.split('-').map(Number)
    return from !== undefined && to !== undefined && from <= status && status <= to
  })

/** Decodes a body as browsers do: by its byte order mark, the header or the page's declaration, or else as UTF-8. */
function decode(body: Uint8Array, contentType = ''): string {
  const encoding = encodingOf(body, {
    // Text other than HTML has no declaration, unless it is XML.
    xml: !/^\s*(?:text\/html\s*)?(?:;|$)/i.test(contentType),
    transportLayerEncodingLabel: /charset\s*=\s*["']?\s*([\w:-]+)/i.exec(contentType)?.[1],
    defaultEncoding: 'UTF-8',
  })
  // Node supports all encodings but this one, which stands for unsafe encodings.
  return new TextDecoder(encoding === 'replacement' ? 'utf-8' : encoding).decode(body)
}
