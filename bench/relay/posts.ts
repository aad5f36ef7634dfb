import { randomUUID } from 'node:crypto'
import { type Agent, request } from 'node:http'
import { signatureOf } from '../../src/tools/herokudiscordwebhook/hook.ts'
import { payloadOf } from '../../test/support/scenes/relay/example-events.ts'

type Post = { path: string; headers: Record<string, string | number>; body: string }

export const secret = 'a secret that was pasted from Heroku'

const build = payloadOf('build-succeeded')
/** Signed links are most of the 2 to 3 KB that Heroku posts for a build. */
const link = `https://build-output.example/streams/lantern.log?X-Amz-Signature=${'5d2f'.repeat(200)}`

/** A new event for a succeeded build, signed in the same way as Heroku does. */
export function buildPost(path: string): Post {
  const data = { ...Object(build.data), output_stream_url: link, id: randomUUID() }
  const body = JSON.stringify({ ...build, id: randomUUID(), data })
  const headers = {
    'user-agent': 'Heroku-Webhooks/1.0',
    'content-type': 'application/json; charset=utf-8',
    'heroku-webhook-hmac-sha256': signatureOf(secret, Buffer.from(body)),
    'content-length': Buffer.byteLength(body),
  }
  return { path, headers, body }
}

export function bytesOf(port: number, { path, headers, body }: Post): string {
  const lines = Object.entries({ host: `localhost:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Posts once; resolves with a 204 response and rejects with any other. */
export function send(port: number, agent: Agent, { path, headers, body }: Post): Promise<void> {
  return new Promise((resolve, reject) => {
    request({ port, agent, path, method: 'POST', headers }, (answer) => {
      answer.resume()
      if (answer.statusCode === 204) resolve()
      else reject(new Error(`The server answered ${answer.statusCode}.`))
    })
      .on('error', reject)
      .end(body)
  })
}
