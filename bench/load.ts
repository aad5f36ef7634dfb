import { once } from 'node:events'
import { connect } from 'node:net'
import { type Milliseconds, seconds } from '../src/shared/time.ts'
import { preciseNow } from './measure.ts'

const connections = 16
const pipelined = 4

/** Answers a second to this GET, over connections that stay open and always have a few requests under way. Throws at the first answer that is not a 200. */
export async function load(
  port: number,
  path: string,
  headers: Record<string, string>,
  lasting: Milliseconds = seconds(2),
): Promise<number> {
  const lines = [`GET ${path} HTTP/1.1`, `Host: localhost:${port}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  const request = `${lines.join('\r\n')}\r\n\r\n`
  const until = preciseNow() + lasting
  const began = preciseNow()
  const counts = await Promise.all(Array.from({ length: connections }, () => keepAsking(port, request, until)))
  return (counts.reduce((sum, count) => sum + count, 0) * 1_000) / (preciseNow() - began)
}

/** Whole answers are counted by their length, which the first one tells: all are alike. */
async function keepAsking(port: number, request: string, until: number): Promise<number> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let length = 0
  let first = ''
  let bytes = 0
  let asked = 0
  const ask = (count: number) => {
    asked += count
    socket.write(request.repeat(count))
  }
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (length === 0) {
      first += chunk.toString('latin1')
      length = lengthOf(first)
      if (length === 0) return
    }
    const answered = Math.floor(bytes / length)
    if (preciseNow() < until) ask(answered + pipelined - asked)
    else if (answered >= asked) socket.end()
  })
  ask(1)
  await once(socket, 'close')
  return asked
}

/** Bytes of the answer that starts this text; 0 while its head is not complete. */
function lengthOf(text: string): number {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return 0
  if (!text.startsWith('HTTP/1.1 200')) throw new Error(`The server answered ${text.slice(0, text.indexOf('\r\n'))}.`)
  const body = /^content-length: (\d+)/im.exec(text)?.[1]
  if (body === undefined) throw new Error('The server does not say how long its answer is.')
  return end + 4 + Number(body)
}
