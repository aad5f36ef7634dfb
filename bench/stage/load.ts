import { once } from 'node:events'
import { connect } from 'node:net'
import { type Milliseconds, seconds } from '../../src/shared/time.ts'
import { preciseNow, quantile } from './measure.ts'

type Settings = {
  connections?: number
  /** Concurrent requests on each connection. */
  pipelined?: number
  lasting?: Milliseconds
}
export type Load = { count: number; perSecond: number; p99: Milliseconds }

export function getRequest(port: number, path: string, headers: Record<string, string> = {}): string {
  const lines = [`GET ${path} HTTP/1.1`, `Host: localhost:${port}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Responses per second and p99 time over connections that are always busy. Throws on any status but 200 and 204. */
export async function load(port: number, next: () => string | Buffer, settings: Settings = {}): Promise<Load> {
  const { connections = 16, pipelined = 4, lasting = seconds(2) } = settings
  const began = preciseNow()
  const until = began + lasting
  const times: Milliseconds[] = []
  await Promise.all(
    Array.from({ length: connections }, () =>
      requestRepeatedly({ port, next, pipelined, until, took: (ms) => times.push(ms) }),
    ),
  )
  const count = times.length
  return { count, perSecond: (count * 1_000) / (preciseNow() - began), p99: quantile(times, 0.99) }
}

async function requestRepeatedly(options: {
  port: number
  next: () => string | Buffer
  pipelined: number
  until: number
  took: (time: Milliseconds) => void
}): Promise<void> {
  const socket = connect({ port: options.port, host: '127.0.0.1', noDelay: true })
  const sentAt: number[] = []
  let unread = ''
  const ask = () => {
    sentAt.push(preciseNow())
    socket.write(options.next())
  }
  socket.on('data', (chunk: Buffer) => {
    unread += chunk.toString('latin1')
    for (let length = lengthOf(unread); length > 0 && length <= unread.length; length = lengthOf(unread)) {
      unread = unread.slice(length)
      options.took(preciseNow() - (sentAt.shift() ?? 0))
      if (preciseNow() < options.until) ask()
    }
    if (sentAt.length === 0) socket.end()
  })
  for (let index = 0; index < options.pipelined; index += 1) ask()
  await once(socket, 'close')
}

/** The length in bytes of the response at the start of this text; 0 while its headers are incomplete. */
function lengthOf(text: string): number {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return 0
  // A 204 has no body and no Content-Length.
  if (text.startsWith('HTTP/1.1 204')) return end + 4
  if (!text.startsWith('HTTP/1.1 200')) throw new Error(`The server returned ${text.slice(0, text.indexOf('\r\n'))}.`)
  const body = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1]
  if (body === undefined) throw new Error('The response has no Content-Length.')
  return end + 4 + Number(body)
}
