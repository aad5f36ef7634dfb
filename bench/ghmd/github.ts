import { createHash } from 'node:crypto'
import { createServer } from 'node:https'
import { gzipSync } from 'node:zlib'
import { goodCertificate, leafKey } from '../../test/support/fakes/certificates.ts'
import { pageOf } from '../../test/support/fakes/fake-github.ts'
import { serve } from '../stage/process.ts'

/** GitHub and its proxy over TLS: every path is a page of typical size with its own images; every PURGE succeeds. */
const imagesAPage = 10
const pageBytes = 400_000
let runs = 0
let purges = 0

const server = createServer({ key: leafKey, cert: goodCertificate }, ({ method, url = '/' }, answer) => {
  if (method === 'PURGE') {
    purges += 1
    return answer.end('{"status":"ok","id":"1-2-3"}')
  }
  runs += 1
  answer.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' }).end(page(url))
})

function page(path: string) {
  const images = Array.from({ length: imagesAPage }, (_, index) => {
    const address = `https://img.example${path}/badge-${index}.svg?style=flat&label=build`
    const digest = createHash('sha256').update(address).digest('hex')
    return `https://127.0.0.1:${port()}/${digest}/${Buffer.from(address).toString('hex')}`
  })
  return gzipSync(pageOf(images, 'partial') + filling, { level: 1 })
}
const filling = Array.from({ length: pageBytes / 40 }, (_, line) => `<a href="/owner/file-${line}">file</a>\n`).join('')

const port = () => {
  const address = server.address()
  return address && typeof address === 'object' ? address.port : 0
}

const api = {
  port,
  /** Pages and purges since the last call. */
  take: () => {
    const taken = { runs, purges }
    runs = 0
    purges = 0
    return taken
  },
}
export type Github = typeof api

server.listen(0, '127.0.0.1', () => serve(api))
