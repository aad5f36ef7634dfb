import { escapeHtml } from '../escape-html.ts'

/** Where a link of a page leads, or a picture is; undefined if nowhere that is served. */
export type LinkTo = (target: string) => string | undefined

// No library: it would save a third of these lines, since headings, links and tables have to be written our way.
/** HTML of the Markdown that our own pages are written in: headings, paragraphs, lists, tables, code, links and pictures. */
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

/** The first line from here that ends what began; all of them if none does. */
function endOf(lines: readonly string[], from: number, isEnd: (line: string, index: number) => boolean): number {
  const found = lines.findIndex((line, index) => index >= from && isEnd(line, index))
  return found === -1 ? lines.length : found
}

/** An item, what is indented below one, or a line that goes on without a break. */
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

/** Stands for code, which nothing else may change, while the rest is written. */
const held = '\uE000'

/** Links, pictures, emphasis and code. */
function inline(text: string, { linkTo }: Page): string {
  const codes: string[] = []
  const rest = text.replace(/`([^`]+)`/g, (_, code: string) => {
    codes.push(`<code>${escapeHtml(code)}</code>`)
    return held
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
  return html.replaceAll(held, () => codes.shift() ?? '')
}

/** The name of a heading behind #, as GitHub makes it; a second one of the same name gets a number. */
function anchorOf(title: string, known: Set<string>): string {
  const plain = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '')
  const slug = plain
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
  let name = slug
  for (let count = 1; known.has(name); count += 1) name = `${slug}-${count}`
  known.add(name)
  return name
}
