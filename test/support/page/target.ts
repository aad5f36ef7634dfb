import { createServer } from 'node:http'
import { listen } from '../listen.ts'

/** A local site for entries: `/down…` and paths that went down return 503, all others 200. Counts visits by path. */
export async function startTarget() {
  const visits = new Map<string, number>()
  const down = new Set<string>()
  const server = createServer(({ url = '/' }, answer) => {
    visits.set(url, (visits.get(url) ?? 0) + 1)
    answer.writeHead(url.startsWith('/down') || down.has(url) ? 503 : 200).end()
  })
  const { port, close } = await listen(server)
  return {
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    goDown: (path: string) => void down.add(path),
    visits: (path: string) => visits.get(path) ?? 0,
    stop: close,
  }
}
export type Target = Awaited<ReturnType<typeof startTarget>>
