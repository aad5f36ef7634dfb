import type { ReactNode } from 'react'
import css from './discord-message.module.css'

/** The markdown of previewed messages: escaped characters, code, labelled links, roles and URLs. */
const marks = new RegExp(
  [
    String.raw`\\(?<escaped>[^\da-z\s])`,
    '`(?<code>[^`]+)`',
    String.raw`\[(?<label>(?:\\.|[^\\[\]])+)\]\((?<url>https?:\/\/[^\s()<>]+)\)`,
    String.raw`<@&(?<role>\d{17,20})>`,
    String.raw`(?<bare>https?:\/\/[^\s<]*[^\s<.,:;"')\]])`,
  ].join('|'),
  'gis',
)

type Mark = Partial<Record<'escaped' | 'code' | 'label' | 'url' | 'role' | 'bare', string>>
/** A link can't contain another one. */
type Parent = 'text' | 'link'

/** Renders a text as Discord does, as far as our messages use its markdown. Everything else stays as written. */
export function renderMarkdown(text: string, parent: Parent = 'text'): ReactNode[] {
  const nodes: ReactNode[] = []
  let from = 0
  for (const { 0: markup, index, groups = {} } of text.matchAll(marks)) {
    nodes.push(text.slice(from, index), renderMark(groups, parent, index))
    from = index + markup.length
  }
  return [...nodes, text.slice(from)]
}

function renderMark({ escaped, code, label, url, role, bare }: Mark, parent: Parent, key: number) {
  if (escaped !== undefined) return escaped
  if (code !== undefined) return <code key={key}>{code}</code>
  if (role !== undefined)
    return (
      <span key={key} className={css.mention} title={`The role ${role}`}>
        @role
      </span>
    )
  const to = url ?? bare ?? ''
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
