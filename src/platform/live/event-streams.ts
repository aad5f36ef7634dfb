import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import type { App } from '../http/app.ts'

/** How long a browser waits before it reconnects. */
const reconnect = seconds(3)

export type EventStream = {
  /** Returns whether the text was written; a client that leaves too much unread is disconnected. */
  write(text: string): boolean
  end(): void
  onClose(act: () => void): void
}

/** Answers requests with server-sent events. A heartbeat keeps streams open, and all end when the server stops. */
export function eventStreams(
  app: App,
  { heartbeat = seconds(25), maxUnread = 262_144 }: { heartbeat?: Milliseconds | undefined; maxUnread?: number },
) {
  const open = new Set<EventStream>()
  const beat = setInterval(() => {
    for (const stream of open) stream.write(': still here\n\n')
  }, heartbeat)
  app.addHook('preClose', (done) => {
    clearInterval(beat)
    for (const stream of open) stream.end()
    done()
  })

  return function start(request: FastifyRequest, reply: Pick<FastifyReply, 'headers'>): EventStream {
    const body = new Readable({ read() {} })
    const stream: EventStream = {
      write(text) {
        if (!open.has(stream)) return false
        if (body.readableLength > maxUnread) {
          request.raw.socket.destroy()
          return false
        }
        body.push(text)
        return true
      },
      end() {
        if (open.delete(stream)) body.push(null)
      },
      onClose: (act) => void body.once('close', act),
    }
    open.add(stream)
    stream.onClose(() => open.delete(stream))
    stream.write(`retry: ${reconnect}\n\n`)
    reply
      .headers({ 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no', connection: 'close' })
      .type('text/event-stream')
      .send(body)
    return stream
  }
}
