import { fdatasync, openSync, rmSync, write } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listen } from '../stage/listen.ts'
import { usage } from '../stage/measure.ts'
import { serve } from '../stage/process.ts'

/** The minimal server: sends the same bytes from memory and counts nothing. */
let answer: { headers: Record<string, string>; body: string } = { headers: {}, body: '' }
const send = (response: ServerResponse) => {
  response.writeHead(200, answer.headers)
  response.end(answer.body)
}
const server = createServer((_request, response) => send(response))

/** The minimal storing server: appends request paths to a file, and answers waiting requests once that is on disk. */
const log = join(tmpdir(), `toolbox-views-${process.pid}`)
let file: number | undefined
let waiting: { path: string; response: ServerResponse }[] = []
let isWriting = false
const keeper = createServer(({ url = '' }, response) => {
  waiting.push({ path: url, response })
  if (!isWriting) setImmediate(keepAll)
})

function keepAll() {
  if (isWriting || waiting.length === 0) return
  isWriting = true
  const kept = waiting
  waiting = []
  file ??= openSync(log, 'a')
  const fd = file
  write(fd, kept.map(({ path }) => `${path}\n`).join(''), (failed) => {
    if (failed) throw failed
    fdatasync(fd, (lost) => {
      if (lost) throw lost
      isWriting = false
      for (const { response } of kept) send(response)
      // Answered clients send their next requests meanwhile, which share the next write.
      setImmediate(() => setImmediate(keepAll))
    })
  })
}

const api = {
  listen: () => listen(server),
  listenAndKeep: () => listen(keeper),
  answer: (handler: typeof answer) => {
    answer = handler
  },
  usage,
  stop: () => {
    for (const one of [server, keeper]) one.closeAllConnections()
    rmSync(log, { force: true })
  },
}
export type BareBadge = typeof api

serve(api)
