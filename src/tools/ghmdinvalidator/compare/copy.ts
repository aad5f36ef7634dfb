import { createHash } from 'node:crypto'
import type { Context } from '../../../platform/context.ts'
import { bodyOver, malformed, privateAddress, tooManyRedirects } from '../../../platform/net/failure.ts'
import type { OutboundAnswer, OutboundFailure, Visitor } from '../../../platform/net/outbound.ts'
import { redirectOf } from '../../../platform/net/redirect.ts'
import { type Milliseconds, seconds } from '../../../shared/time.ts'
import { isPicture, shownAs } from './picture.ts'

export type CopyContext = Pick<Context, 'config' | 'outbound' | 'now' | 'elapsed'>

/** An image as somebody served it. */
export type Copy = {
  status: number
  /** The media type without parameters; empty if none was said. */
  type: string
  length: number
  hash: string
  headers: Readonly<Record<string, string>>
  /** Whether the content may be what its type says. */
  isPicture: boolean
  /** What is kept to be shown. */
  shown?: { type: string; bytes: string }
}
/** Why there is none: `own` is a badge of ours, which must not be fetched, since it would count. */
export type NoCopy = { failure: OutboundFailure | 'own' | 'large' | 'private'; note: string; wait?: Milliseconds }

export const isMissing = (copy: Copy | NoCopy): copy is NoCopy => 'failure' in copy

/** GitHub's proxy waits for an image's server so long, follows so many redirects, and serves no more. */
export const githubWaits = seconds(4)
const githubFollows = 4
const largest = 5_000_000
/** The proxy may have to ask the image's server first. */
const proxyTimeout = seconds(10)
/** The same for both sides, so that a server that offers several formats answers both alike. */
const headers = { accept: 'image/*' }

/** The image as its own server answers it now, asked with GitHub's patience and on behalf of somebody. */
export async function originCopy(address: string, context: CopyContext, visitor: Visitor): Promise<Copy | NoCopy> {
  let url = URL.parse(address)
  let left = githubWaits
  for (let followed = 0; url; followed += 1) {
    if (isOurs(url, context.config)) return { failure: 'own', note: 'a badge of this server' }
    const options = { visitor, headers, maxBytes: largest, timeout: Math.max(1, left) }
    const answer = await context.outbound.request(url.href, options)
    if (!answer.answered) return missing(answer)
    const next = redirectOf(answer.status, answer.headers.location, url)
    if (next === undefined) return copyOf(answer)
    if (next === 'malformed') return malformed
    if (followed >= githubFollows) return tooManyRedirects
    left -= answer.duration
    url = next
  }
  return malformed
}

/** The image as GitHub's proxy serves it now. */
export async function githubCopy(camo: string, { outbound }: CopyContext): Promise<Copy | NoCopy> {
  const answer = await outbound.request(camo, { headers, maxBytes: largest, timeout: proxyTimeout })
  return answer.answered ? copyOf(answer) : missing(answer)
}

/** A badge of this server counts whoever fetches it. */
const isOurs = (url: URL, { origins }: CopyContext['config']) =>
  origins.some((origin) => placeOf(new URL(origin)) === placeOf(url))
/** A name with a dot at its end is the same name. */
const placeOf = ({ hostname, port }: URL) => `${hostname.replace(/\.$/, '')}:${port}`

function missing({ failure, note, wait }: OutboundAnswer & { answered: false }): NoCopy {
  if (note === bodyOver(largest).note) return { failure: 'large', note: 'larger than 5 MB' }
  if (note === privateAddress.note) return { failure: 'private', note }
  return { failure, note, ...(wait === undefined ? {} : { wait }) }
}

function copyOf({ status, headers: said, body }: OutboundAnswer & { answered: true }): Copy {
  const type = (said['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase().slice(0, 100)
  const shown = status === 200 ? shownAs(body) : undefined
  return {
    status,
    type,
    length: body.length,
    hash: createHash('sha256').update(body).digest('hex'),
    headers: said,
    isPicture: isPicture(type, body),
    ...(shown && { shown: { type: shown, bytes: Buffer.from(body).toString('base64') } }),
  }
}
