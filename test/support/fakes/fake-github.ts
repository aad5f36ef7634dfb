import { createHash, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type FakeWeb, fakeWeb, type Reply, type Visit } from './fake-web.ts'

/** How GitHub embeds rendered markdown: as plain HTML, or as HTML within JSON for a part of the page or all of it. */
type Shape = 'plain' | 'partial' | 'app'
export const shapes: readonly Shape[] = ['plain', 'partial', 'app']

/** GitHub, its gists, API and image proxy on loopback, as far as they are documented. */
export async function fakeGithub() {
  const [pages, api, camo] = [await fakeWeb(), await fakeWeb(), await fakeWeb()]
  const at = ({ port }: FakeWeb) => `http://localhost:${port}`
  let key = randomUUID()

  /** Makes the proxy answer a PURGE of the image at `origin`; returns the image's proxied URL. */
  function image(origin: string, ...replies: Reply[]): string {
    const path = pathOf(origin)
    camo.on(path, ...(replies.length > 0 ? replies : [purged]))
    return at(camo) + path
  }

  /** Like `image`, but also serves it: the proxy keeps this copy, or one fetched from `origin`, until a PURGE. */
  function cached(origin: string, copy?: Kept): string {
    const path = pathOf(origin)
    let cachedCopy = copy
    camo.on(path, async (visit, response) => {
      if (visit.method === 'PURGE') {
        cachedCopy = undefined
        return purged(visit, response)
      }
      cachedCopy ??= await fetched(origin)
      response.writeHead(cachedCopy.status ?? 200, cachedCopy.headers).end(cachedCopy.body ?? '')
    })
    return at(camo) + path
  }

  function pathOf(origin: string): string {
    const digest = createHash(origin.length % 2 ? 'sha1' : 'sha256').update(key + origin)
    return `/${digest.digest('hex')}/${Buffer.from(origin).toString('hex')}`
  }

  return {
    pages,
    api,
    camo,
    url: at(pages),
    gistUrl: `http://gist.localhost:${pages.port}`,
    env: { GITHUB_URL: at(pages), GITHUB_API_URL: at(api), GITHUB_CAMO_URL: at(camo) },
    image,
    cached,
    page(path: string, images: readonly string[], shape: Shape = 'plain'): string {
      pages.on(path, { headers: { 'content-type': 'text/html; charset=utf-8' }, body: pageOf(images, shape) })
      return at(pages) + path
    },
    readme(repository: string, images: readonly string[]) {
      const body = `<div id="readme" class="md">${articleOf(images)}</div>`
      api.on(`/repos/${repository}/readme`, {
        headers: { 'content-type': 'application/vnd.github.html+json; charset=utf-8' },
        body,
      })
    },
    /** Changes the proxy's signing key, which gives every image a new proxied URL. */
    newKey() {
      key = randomUUID()
    },
    purges: () => camo.visits.filter(({ method }) => method === 'PURGE').map(({ path }) => at(camo) + path),
    forget() {
      for (const web of [pages, api, camo]) web.visits.length = 0
    },
    async close() {
      await Promise.all([pages.close(), api.close(), camo.close()])
    },
  }
}
export type FakeGithub = Awaited<ReturnType<typeof fakeGithub>>

type Kept = { status?: number; headers?: Record<string, string>; body?: string | Uint8Array }

/** Fetches an image as the proxy does: the picture, or an error if the origin returns anything else. */
async function fetched(origin: string): Promise<Kept> {
  const answer = await fetch(origin, { headers: { via: 'github-camo', accept: 'image/*' } }).catch(() => undefined)
  const type = answer?.headers.get('content-type') ?? ''
  if (answer?.status !== 200 || !type.startsWith('image/')) return { status: 404, body: 'Not Found' }
  return { headers: { 'content-type': type }, body: await answer.bytes() }
}

/** The proxy's response to a PURGE; other methods get a 405. */
const purged = ({ method }: Visit, response: ServerResponse) => {
  const ok = method === 'PURGE'
  response.writeHead(ok ? 200 : 405, { 'content-type': 'application/json' })
  response.end(ok ? JSON.stringify({ status: 'ok', id: `${randomUUID()}` }) : '')
}

const articleOf = (images: readonly string[]) => `<article class="markdown-body entry-content">
<h1 dir="auto">An example</h1>
<p dir="auto">What it shows &amp; why.</p>
${images.map((image) => `<a target="_blank" rel="noopener noreferrer nofollow" href="${image}"><img src="${image}" alt="a &quot;badge&quot;" style="max-width: 100%;"></a>`).join('\n')}
</article>`

/** JSON for a script element, with characters escaped that could end the element. */
const inScript = (value: unknown) =>
  JSON.stringify(value).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)

export function pageOf(images: readonly string[], shape: Shape): string {
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><link rel="stylesheet" href="https://github.githubassets.com/assets/light.css"></head>
<body>
<img class="avatar" height="20" src="https://avatars.githubusercontent.com/u/1?s=40&amp;v=4" alt="@owner">
<main>${embedded(articleOf(images), shape)}</main>
</body>
</html>`
}

function embedded(article: string, shape: Shape): string {
  if (shape === 'plain') return article
  if (shape === 'partial')
    return `<react-partial partial-name="repos-overview" data-ssr="false">
<script type="application/json" data-target="react-partial.embeddedData">${inScript({
      props: { initialPayload: { overview: { overviewFiles: [{ displayName: 'README.md', richText: article }] } } },
    })}</script>
<div data-target="react-partial.reactRoot"></div></react-partial>`
  return `<react-app app-name="react-code-view" initial-path="/owner/repository/blob/main/README.md">
<script type="application/json" data-target="react-app.embeddedData">${inScript({
    payload: { blob: { displayName: 'README.md', richText: article } },
  })}</script>
<div data-target="react-app.reactRoot"></div></react-app>`
}
