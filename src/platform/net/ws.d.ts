declare module 'ws' {
  import type { EventEmitter } from 'node:events'
  import type { ClientRequest, ClientRequestArgs, IncomingMessage } from 'node:http'
  import type { Duplex } from 'node:stream'

  type Events = {
    open: []
    ping: [Buffer]
    error: [Error]
    close: [number, Buffer]
    'unexpected-response': [ClientRequest, IncomingMessage]
  }
  type Options = Pick<ClientRequestArgs, 'createConnection' | 'headers'> & {
    origin: string
    perMessageDeflate: boolean
    autoPong: boolean
    maxPayload: number
  }
  export class WebSocket extends EventEmitter<Events> {
    readonly bufferedAmount: number
    constructor(url: string, protocol: string, options: Options)
    send(data: string | Uint8Array): void
    ping(data?: Uint8Array): void
    pong(data: Uint8Array): void
    pause(): void
    close(code: number): void
    terminate(): void
  }
  export class WebSocketServer extends EventEmitter {
    constructor(options: { noServer: true })
    handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, done: (opened: WebSocket) => void): void
  }
}
