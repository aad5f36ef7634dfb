import type { ReactNode } from 'react'
import css from './discord-message.module.css'

/** The markdown of our messages: escaped characters, code, bold, labelled links, roles, URLs in brackets or bare. */
const marks = new RegExp(
  [
    String.raw`\\(?<escaped>[^\da-z\s])`,
    '`(?<code>[^`]+)`',
    String.raw`\*\*(?<bold>(?:\\.|[^\\*])+)\*\*`,
    String.raw`\[(?<label>(?:\\.|[^\\[\]])+)\]\((?<url>https?:\/\/[^\s()<>]+)\)`,
    String.raw`<@&(?<role>\d{17,20})>`,
    String.raw`<(?<quiet>https?:\/\/[^\s<>]+)>`,
    String.raw`(?<bare>https?:\/\/[^\s<]*[^\s<.,:;"')\]])`,
  ].join('|'),
  'gis',
)

type Mark = Partial<Record<'escaped' | 'code' | 'bold' | 'label' | 'url' | 'role' | 'quiet' | 'bare', string>>
/** A link can't contain another one. */
type Parent = 'text' | 'link'

/** Renders a text as Discord does, as far as our messages use its markdown. Everything else stays as written. */
export function renderMarkdown(text: string, parent: Parent = 'text'): ReactNode[] {
  const nodes: ReactNode[] = []
  let plain = ''
  let from = 0
  const flush = () => {
    if (plain) nodes.push(plain)
    plain = ''
  }
  for (const { 0: markup, index, groups = {} } of text.matchAll(marks)) {
    plain += text.slice(from, index)
    from = index + markup.length
    const node = renderMark(groups, parent, index)
    if (typeof node === 'string') plain += node
    else {
      flush()
      nodes.push(node)
    }
  }
  plain += text.slice(from)
  flush()
  return nodes
}

function renderMark({ escaped, code, bold, label, url, role, quiet, bare }: Mark, parent: Parent, key: number) {
  if (escaped !== undefined) return escaped
  if (code !== undefined) return <code key={key}>{code}</code>
  if (bold !== undefined) return <strong key={key}>{renderMarkdown(bold, parent)}</strong>
  if (role !== undefined)
    return (
      <span key={key} className={css.mention} title={`The role ${role}`}>
        @role
      </span>
    )
  const to = url ?? quiet ?? bare ?? ''
  const content = label === undefined ? to : renderMarkdown(label, 'link')
  if (parent === 'link') return <span key={key}>{content}</span>
  return (
    <Link key={key} to={to}>
      {content}
    </Link>
  )
}

/** A link in a message; only its text if `to` isn't a web URL. */
export function Link({ to, children }: { to: string | undefined; children: ReactNode }) {
  if (to === undefined || !/^https?:\/\//i.test(to) || !URL.canParse(to)) return children
  return (
    <a href={to} target="_blank" rel="noreferrer">
      {children}
    </a>
  )
}

const fieldsPerRow = 3

/** Discord shows up to three inline fields side by side, and any other field in its own row. */
export function rowsOf<Field extends { inline?: boolean | undefined }>(fields: readonly Field[]): Field[][] {
  const rows: Field[][] = []
  for (const field of fields) {
    const row = rows.at(-1)
    if (field.inline && row?.[0]?.inline && row.length < fieldsPerRow) row.push(field)
    else rows.push([field])
  }
  return rows
}
