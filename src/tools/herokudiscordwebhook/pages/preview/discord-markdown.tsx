import type { ReactNode } from 'react'
import css from './discord-message.module.css'

/** An escaped character, code, bold, a link with words, a role, an address in angle brackets, or a bare one: what messages are made of. */
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
/** Whether this is within a link already, which cannot hold another one. */
type Place = 'text' | 'link'

/** A text as Discord draws it, of the little of its markdown that our messages use. Everything else stays as it is written. */
export function marked(text: string, place: Place = 'text'): ReactNode[] {
  const nodes: ReactNode[] = []
  let words = ''
  let from = 0
  const flush = () => {
    if (words) nodes.push(words)
    words = ''
  }
  for (const { 0: whole, index, groups = {} } of text.matchAll(marks)) {
    words += text.slice(from, index)
    from = index + whole.length
    const node = drawn(groups, place, index)
    if (typeof node === 'string') words += node
    else {
      flush()
      nodes.push(node)
    }
  }
  words += text.slice(from)
  flush()
  return nodes
}

function drawn({ escaped, code, bold, label, url, role, quiet, bare }: Mark, place: Place, key: number) {
  if (escaped !== undefined) return escaped
  if (code !== undefined) return <code key={key}>{code}</code>
  if (bold !== undefined) return <strong key={key}>{marked(bold, place)}</strong>
  if (role !== undefined)
    return (
      <span key={key} className={css.mention} title={`The role ${role}`}>
        @role
      </span>
    )
  const to = url ?? quiet ?? bare ?? ''
  const words = label === undefined ? to : marked(label, 'link')
  if (place === 'link') return <span key={key}>{words}</span>
  return (
    <Link key={key} to={to}>
      {words}
    </Link>
  )
}

/** A link out of a message; what is no web address stays text. */
export function Link({ to, children }: { to: string | undefined; children: ReactNode }) {
  if (to === undefined || !/^https?:\/\//i.test(to) || !URL.canParse(to)) return children
  return (
    <a href={to} target="_blank" rel="noreferrer">
      {children}
    </a>
  )
}
