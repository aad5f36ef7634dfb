import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export type Block = { language: string; text: string; line: number }
export type Page = {
  path: string
  text: string
  blocks: Block[]
  /** Inline code. */
  spans: string[]
  links: string[]
  /** Valid fragments of links to this page. */
  anchors: Set<string>
}

export const pagePaths = () => globSync(['*.md', 'docs/**/*.md'], { cwd: root }).sort()

export function readPage(path: string): Page {
  const text = readFileSync(join(root, path), 'utf8')
  const blocks: Block[] = []
  const prose: string[] = []
  let open: Block | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const [, fence] = /^ *```(\S*)/.exec(line) ?? []
    if (fence === undefined) {
      if (open) open.text += `${line}\n`
      else prose.push(line)
    } else if (open) {
      blocks.push(open)
      open = undefined
    } else open = { language: fence, text: '', line: index + 1 }
  }
  if (open) throw new Error(`${path}:${open.line}: a fence is never closed.`)
  const words = prose.join('\n')
  const withoutCode = words.replace(/`[^`]*`/g, '')
  return {
    path,
    text,
    blocks,
    spans: [...words.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code),
    links: [...withoutCode.matchAll(/\]\(<?([^)\s>]+)>?\)/g)].map(([, target = '']) => target),
    anchors: anchorsOf(prose),
  }
}

/** The anchors that GitHub gives headings; repeated ones get a number. */
function anchorsOf(prose: readonly string[]): Set<string> {
  const anchors = new Set<string>()
  for (const line of prose) {
    const [, heading] = /^#{1,6} (.+)$/.exec(line) ?? []
    if (heading === undefined) continue
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '')
    const slug = plain
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    let name = slug
    for (let count = 1; anchors.has(name); count += 1) name = `${slug}-${count}`
    anchors.add(name)
  }
  return anchors
}
