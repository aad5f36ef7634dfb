import type { Expect } from './contract.ts'
import { decode } from './decode.ts'

type Answer = { status: number; headers: Record<string, string>; body: Uint8Array }

/** How much of a body is searched. */
export const searchedBytes = 65_536

/** Whether the body has to be read. */
export const looksForText = (expect: Expect | null): boolean =>
  expect?.text !== undefined || expect?.absent !== undefined

/** Why an answer is not what was expected, in words; undefined if it is. */
export function unexpected({ status, headers, body }: Answer, expect: Expect | null): string | undefined {
  const { statuses, text, absent } = expect ?? {}
  if (statuses === undefined && status >= 400) return `answered ${status}`
  if (statuses !== undefined && !includes(statuses, status))
    return status < 400 ? `answered ${status}, which is not expected` : `answered ${status}`
  if (text === undefined && absent === undefined) return undefined
  const said = decode(body, headers['content-type']).normalize()
  if (text !== undefined && !said.includes(text.normalize())) return `answered ${status} but the text is missing`
  if (absent !== undefined && said.includes(absent.normalize())) return `answered ${status} but has the unwanted text`
  return undefined
}

/** Whether a list such as `200-399,401` has this status. */
const includes = (statuses: string, status: number): boolean =>
  statuses.split(',').some((part) => {
    const [from, to = from] = part.split('-').map(Number)
    return from !== undefined && to !== undefined && from <= status && status <= to
  })
