import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import type { Milliseconds } from '../../shared/time.ts'
import type { Step } from './deadline.ts'
import { closedEarly, httpFailure, upgradeRefused } from './failure.ts'

/** Received data is unused, so only this many bytes are read, and the rest stays with the sender. */
const mostRead = 256 * 1024
const mostPongs = 10

type Options = { protocol: string; time: Milliseconds; userAgent: string }

/** Opens a WebSocket over an open connection, and settles after holding it for this time. */
export const holdWebSocket =
  (socket: Socket, url: URL, { protocol, time, userAgent }: Options): Step<{ held: true }> =>
  (settle) => {
    let timer: NodeJS.Timeout | undefined
    let received = 0
    let pongs = 0
    // Always `ws:`, as the socket already encrypts for an https URL.
    const webSocket = new WebSocket(url.href.replace(/^https?/, 'ws'), protocol, {
      createConnection: () => socket,
      origin: url.origin,
      headers: { 'user-agent': userAgent },
      perMessageDeflate: false,
      autoPong: false,
      // No frame limit is needed, because the limit on all bytes covers every frame.
      maxPayload: 0,
    })
    const giveUp = () => {
      clearTimeout(timer)
      webSocket.terminate()
    }
    webSocket.on('open', () => {
      timer = setTimeout(() => {
        webSocket.close(1000)
        settle({ held: true })
      }, time)
      socket.on('data', (chunk: Buffer) => {
        received += chunk.length
        if (received > mostRead) webSocket.pause()
      })
    })
    webSocket.on('ping', (data) => {
      pongs += 1
      if (pongs <= mostPongs) webSocket.pong(data)
    })
    webSocket.on('unexpected-response', (request, answer) => {
      request.destroy()
      settle(upgradeRefused(answer.statusCode ?? 0))
    })
    webSocket.on('error', (error) => settle(httpFailure(error)))
    webSocket.on('close', () => {
      clearTimeout(timer)
      settle(closedEarly)
    })
    return giveUp
  }
