import { globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, posix, sep } from 'node:path'
import type { FastifyReply } from 'fastify'
import packageJson from '../../../../package.json' with { type: 'json' }
import { pagePolicy } from '../access/headers.ts'
import type { App } from '../app.ts'
import { escapeHtml } from '../escape-html.ts'
import { compressed } from '../page/compress-answer.ts'
import { markdownHtml } from './markdown.ts'

const hidden = { schema: { hide: true } } as const
const first = 'README'

/** `GET /docs`: the documentation of this version, whose pages and pictures lie in `folder`, and `GET /license`. */
export function manual(app: App, folder: string): void {
  const style = readFileSync(new URL('manual.css', import.meta.url))
  const pathsOf = (kind: string) => globSync(`**/*.${kind}`, { cwd: folder }).map((path) => path.split(sep).join('/'))
  const pages = new Set(pathsOf('md').map((path) => path.replace(/\.md$/, '')))
  const pictures = new Set(pathsOf('png'))
  const known = new Set([...pages, ...pictures])
  const made = new Map<string, string>()

  const pageAt = (path: string): string => {
    const html = made.get(path) ?? pageOf(readFileSync(join(folder, `${path}.md`), 'utf8'), linksOf(path, known))
    made.set(path, html)
    return html
  }

  const sendPage = (reply: FastifyReply, path: string) => {
    if (!pages.has(path)) return reply.callNotFound()
    const html = pageAt(path)
    return reply.header('content-security-policy', pagePolicy(html)).type('text/html; charset=utf-8').send(html)
  }
  app.get('/docs', { ...hidden, onSend: compressed }, (_request, reply) => sendPage(reply, first))
  app.get<{ Params: { '*': string } }>('/docs/*', { ...hidden, onSend: compressed }, async (request, reply) => {
    const path = request.params['*']
    return pictures.has(path) ? reply.type('image/png').send(await readFile(join(folder, path))) : sendPage(reply, path)
  })
  app.get('/docs/manual.css', hidden, (_request, reply) => reply.type('text/css; charset=utf-8').send(style))
  app.get('/license', hidden, async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(await readFile(join(dirname(folder), 'LICENSE'))),
  )
}

/** Links and pictures of a page as they are below /docs/; one to a file that isn't served there is none. */
const linksOf = (path: string, known: ReadonlySet<string>) => (target: string) => {
  if (/^(?:https?:|mailto:)/.test(target)) return target
  const [file = '', anchor] = target.split('#')
  const to = file === '' ? path : posix.join(posix.dirname(path), file).replace(/\.md$/, '')
  if (!known.has(to)) return undefined
  return `/docs${to === first ? '' : `/${to}`}${anchor === undefined ? '' : `#${anchor}`}`
}

function pageOf(text: string, linkTo: (target: string) => string | undefined): string {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? 'Documentation'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>ToolBox - ${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<script src="/api/docs/theme.js"></script>
<link rel="stylesheet" href="/api/docs/app.css">
<link rel="stylesheet" href="/docs/manual.css">
</head>
<body>
<header><a href="/">Tool Box</a><a href="/docs">Documentation</a><a href="/api/docs">API</a></header>
<main>${markdownHtml(text, linkTo)}</main>
<footer>Version ${packageJson.version}</footer>
</body>
</html>`
}
