import { type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import type { App } from '../../src/platform/http/app.ts'

/** Makes the app listen until the test has finished; returns its port. */
export async function portOf(app: App): Promise<number> {
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  return Number(new URL(url).port)
}

/** Sends these bytes and returns everything the server sends until it closes the connection. */
export async function sendRaw(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  return Buffer.concat(await socket.toArray()).toString()
}

type RequestParts = { body?: string | undefined; headers?: Record<string, string> }
type Answer = { status: number | undefined; headers: IncomingHttpHeaders; body: string }

/** Sends a request with the path unchanged; `fetch` would normalize it. */
export function sendRequest(
  port: number,
  method: string,
  path: string,
  { body, headers = {} }: RequestParts = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const call = request({ port, method, path, agent: false, headers }, async (answer) => {
    const chunks = await answer.toArray()
    resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks).toString() })
  })
  call.on('error', reject).end(body)
  return promise
}
