import { Webhook } from 'lucide-react'
import { useNow } from '../../../ui/clock.ts'
import type { Preview } from '../contract.ts'
import { footTime, Link, renderMarkdown, rowsOf, shortTime } from './discord-markdown.tsx'
import css from './discord-message.module.css'

type Message = Preview['message']
type Embed = NonNullable<Message['embeds']>[number]

/** A message as Discord would show it in a channel, in Discord's colors of the page's theme. */
export function DiscordMessage({ message, isEdited }: { message: Message; isEdited: boolean }) {
  const { username, content, embeds = [] } = message
  return (
    <div className={css.channel}>
      <span className={css.avatar} aria-hidden="true">
        <Webhook size={20} />
      </span>
      <div className={css.message}>
        <p className={css.head}>
          <b>{username}</b>
          <span className={css.app}>APP</span>
          <Now />
        </p>
        {content && <p className={css.content}>{renderMarkdown(content)}</p>}
        {isEdited && <small className={css.edited}>(edited)</small>}
        {embeds.map((embed, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an embed is its place in the message
          <EmbedPart key={position} embed={embed} />
        ))}
      </div>
    </div>
  )
}

/** The time of a message that arrives now. */
const Now = () => <time>{shortTime(useNow())}</time>

function EmbedPart({ embed: { title, url, color, description, fields = [], footer, timestamp } }: { embed: Embed }) {
  const foot = [footer?.text, timestamp && footTime(timestamp)].filter(Boolean).join(' • ')
  return (
    <div className={css.embed} style={{ borderLeftColor: `#${color.toString(16).padStart(6, '0')}` }}>
      <p className={css.title}>
        <Link to={url}>{renderMarkdown(title, url === undefined ? 'text' : 'link')}</Link>
      </p>
      {description && <p className={css.description}>{renderMarkdown(description)}</p>}
      {rowsOf(fields).map((row, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place in the embed
        <dl key={position} className={css.fields}>
          {row.map(({ name, value }) => (
            <div key={name}>
              <dt>{renderMarkdown(name)}</dt>
              <dd>{renderMarkdown(value)}</dd>
            </div>
          ))}
        </dl>
      ))}
      {foot && <p className={css.foot}>{foot}</p>}
    </div>
  )
}
