import { globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, posix, sep } from 'node:path'
import type { FastifyReply } from 'fastify'
import { pagePolicy } from './access/headers.ts'
import type { App } from './app.ts'
import { compressResponse } from './page/compress-answer.ts'
import { escapeHtml, shellPage } from './shell-page.ts'

const hidden = { schema: { hide: true } } as const
const first = 'README'
const style = '/docs/manual.css'

/** Mounts `GET /docs`, this version's documentation, with pages and pictures in `folder`, and `GET /license`. */
export function manual(app: App, folder: string): void {
  const styles = readFileSync(new URL('manual.css', import.meta.url))
  const pathsOf = (kind: string) => globSync(`**/*.${kind}`, { cwd: folder }).map((path) => path.split(sep).join('/'))
  const pages = new Set(pathsOf('md').map((path) => path.replace(/\.md$/, '')))
  const pictures = new Set(pathsOf('png'))
  const paths = new Set([...pages, ...pictures])
  const pageCache = new Map<string, string>()

  const pageAt = (path: string): string => {
    const html = pageCache.get(path) ?? pageOf(readFileSync(join(folder, `${path}.md`), 'utf8'), linksOf(path, paths))
    pageCache.set(path, html)
    return html
  }

  const sendHtml = (reply: FastifyReply, html: string) =>
    reply.header('content-security-policy', pagePolicy(html)).type('text/html; charset=utf-8').send(html)
  const sendPage = (reply: FastifyReply, path: string) =>
    pages.has(path) ? sendHtml(reply, pageAt(path)) : reply.callNotFound()
  app.get('/docs', { ...hidden, onSend: compressResponse }, (_request, reply) => sendPage(reply, first))
  app.get<{ Params: { '*': string } }>('/docs/*', { ...hidden, onSend: compressResponse }, async (request, reply) => {
    const path = request.params['*']
    return pictures.has(path) ? reply.type('image/png').send(await readFile(join(folder, path))) : sendPage(reply, path)
  })
  app.get(style, hidden, (_request, reply) => reply.type('text/css; charset=utf-8').send(styles))
  app.get('/license', hidden, async (_request, reply) => {
    const text = await readFile(join(dirname(folder), 'LICENSE'), 'utf8')
    const main = markdownHtml(`# License\n\n${text}`, () => undefined)
    return sendHtml(reply, shellPage({ title: 'License', style, main }))
  })
}

/** Maps the links and pictures of a page to their addresses below /docs/; undefined for a file that isn't served. */
const linksOf = (path: string, paths: ReadonlySet<string>) => (target: string) => {
  if (/^(?:https?:|mailto:)/.test(target)) return target
  const [file = '', anchor] = target.split('#')
  const to = file === '' ? path : posix.join(posix.dirname(path), file).replace(/\.md$/, '')
  if (!paths.has(to)) return undefined
  return `/docs${to === first ? '' : `/${to}`}${anchor === undefined ? '' : `#${anchor}`}`
}

function pageOf(text: string, linkTo: (target: string) => string | undefined): string {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? 'Documentation'
  return shellPage({ title, style, main: markdownHtml(text, linkTo) })
}

type LinkTo = (target: string) => string | undefined

// A library would save only a third of these lines, since headings, links and tables need custom code anyway.
/** Converts the Markdown of our own pages to HTML: headings, paragraphs, lists, tables, code, links and pictures. */
export function markdownHtml(text: string, linkTo: LinkTo): string {
  const anchors = new Set<string>()
  return blocks(text.split('\n'), { linkTo, anchors })
}

type Page = { linkTo: LinkTo; anchors: Set<string> }

const fence = /^```(\S*)/
const heading = /^(#{1,6}) (.+)$/
const item = /^(?:-|\d+\.) +/
const isBulleted = (line: string) => line.startsWith('-')
const isBlank = (line: string) => line.trim() === ''

function blocks(lines: readonly string[], page: Page): string {
  let html = ''
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const [, marks, title] = heading.exec(line) ?? []
    if (isBlank(line)) at += 1
    else if (fence.test(line)) {
      const end = endOf(lines, at + 1, (one) => fence.test(one))
      html += `<pre><code>${escapeHtml(lines.slice(at + 1, end).join('\n'))}</code></pre>`
      at = end + 1
    } else if (marks && title) {
      html += `<h${marks.length} id="${anchorOf(title, page.anchors)}">${inline(title, page)}</h${marks.length}>`
      at += 1
    } else if (line.startsWith('|')) {
      const end = endOf(lines, at, (one) => !one.startsWith('|'))
      html += table(lines.slice(at, end), page)
      at = end
    } else if (item.test(line)) {
      const isOther = (one: string) => item.test(one) && isBulleted(one) !== isBulleted(line)
      const end = endOf(
        lines,
        at + 1,
        (one, index) => isOther(one) || (!isBlank(one) && !isInList(one, lines[index - 1] ?? '')),
      )
      html += list(lines.slice(at, end), page)
      at = end
    } else {
      const end = endOf(lines, at, (one) => isBlank(one) || heading.test(one) || fence.test(one) || item.test(one))
      html += `<p>${inline(lines.slice(at, Math.max(end, at + 1)).join('\n'), page)}</p>`
      at = Math.max(end, at + 1)
    }
  }
  return html
}

function endOf(lines: readonly string[], from: number, isEnd: (line: string, index: number) => boolean): number {
  const found = lines.findIndex((line, index) => index >= from && isEnd(line, index))
  return found === -1 ? lines.length : found
}

/** Whether the line is an item, is indented below one, or continues one without a blank line. */
const isInList = (line: string, before: string) => item.test(line) || line.startsWith('  ') || !isBlank(before)

function list(lines: readonly string[], page: Page): string {
  const items: string[][] = []
  for (const line of lines) {
    if (item.test(line)) items.push([line.replace(item, '')])
    else items.at(-1)?.push(line.replace(/^ {2,3}/, ''))
  }
  const tag = isBulleted(lines[0] ?? '') ? 'ul' : 'ol'
  const inner = (own: readonly string[]) => blocks(own, page).replace(/^<p>(.*?)<\/p>/s, '$1')
  return `<${tag}>${items.map((own) => `<li>${inner(own)}</li>`).join('')}</${tag}>`
}

function table([head = '', , ...rows]: readonly string[], page: Page): string {
  const row = (line: string, tag: 'th' | 'td') =>
    `<tr>${cellsOf(line)
      .map((cell) => `<${tag}>${inline(cell, page)}</${tag}>`)
      .join('')}</tr>`
  const top = cellsOf(head).some((cell) => cell !== '') ? `<thead>${row(head, 'th')}</thead>` : ''
  return `<div class="table"><table>${top}<tbody>${rows.map((line) => row(line, 'td')).join('')}</tbody></table></div>`
}

const cellsOf = (line: string): string[] =>
  line
    .replace(/^\||\|\s*$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

/** Placeholder that protects code while the rest is converted. */
const codePlaceholder = '\uE000'

function inline(text: string, { linkTo }: Page): string {
  const codes: string[] = []
  const rest = text.replace(/`([^`]+)`/g, (_, code: string) => {
    codes.push(`<code>${escapeHtml(code)}</code>`)
    return codePlaceholder
  })
  const html = escapeHtml(rest)
    .replace(/!\[([^\]]*)\]\(([^)\s]*)\)/g, (_, words: string, target: string) => {
      const from = linkTo(target)
      return from === undefined ? words : `<img src="${from}" alt="${words}">`
    })
    .replace(/\[([^\]]*)\]\(([^)\s]*)\)/g, (_, words: string, target: string) => {
      const to = linkTo(target)
      return to === undefined ? words : `<a href="${to}">${words}</a>`
    })
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\*([^*]+)\*/g, '<em>$1</em>')
  return html.replaceAll(codePlaceholder, () => codes.shift() ?? '')
}

/** A heading's anchor, as GitHub creates it; a repeated one gets a number. */
function anchorOf(title: string, anchors: Set<string>): string {
  const plain = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '')
  const slug = plain
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
  let name = slug
  for (let count = 1; anchors.has(name); count += 1) name = `${slug}-${count}`
  anchors.add(name)
  return name
}
