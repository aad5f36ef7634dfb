import { once } from 'node:events'
import { connect } from 'node:net'
import { seconds } from '../../src/shared/time.ts'

const bytes = 6_000_000

/** Sends a POST of 6 MB, reads only afterwards, and returns the status; 0 if the connection breaks. */
export async function postLargeBody(port: number, path: string, key: string): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  socket.setTimeout(seconds(15), () => socket.destroy())
  let response = ''
  let broken = false
  socket.on('error', () => {
    broken = true
  })
  socket.pause()
  await once(socket, 'connect')
  const about = `Authorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}`
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n${about}\r\n\r\n`)
  const piece = Buffer.alloc(60_000, 'x')
  for (let sent = 0; sent < bytes && !broken && !socket.destroyed; sent += piece.length)
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {})
  socket.on('data', (chunk) => {
    response += chunk.toString('latin1')
    if (response.includes('\r\n\r\n')) socket.destroy()
  })
  socket.resume()
  if (!socket.destroyed) await once(socket, 'close')
  return Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1] ?? 0)
}
