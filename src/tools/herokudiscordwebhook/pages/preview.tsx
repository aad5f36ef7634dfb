import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleSlash, Webhook } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useNow } from '../../../ui/clock.ts'
import { reason } from '../../../ui/data/api.ts'
import { useDebounced } from '../../../ui/debounce.ts'
import type { Draft } from '../../../ui/form/draft.ts'
import { SelectField } from '../../../ui/form/select.tsx'
import { type Preview, PreviewBody } from '../contract.ts'
import { previewQuery, type Values } from './calls.ts'
import { Link, renderMarkdown, rowsOf } from './discord-markdown.tsx'
import messageCss from './discord-message.module.css'
import css from './preview.module.css'

/** The debounce time in milliseconds. */
const debounceDelay = 300
const lastEvent = ''

export function PreviewPart({ id, draft: { values } }: { id?: string; draft: Draft<Values> }) {
  const { filter, showActor, mentionRole, card, status } = values
  const [chosen, choose] = useState(lastEvent)
  const options = JSON.parse(useDebounced(JSON.stringify({ filter, showActor, mentionRole, card }), debounceDelay))
  const parsedBody = PreviewBody.safeParse({ ...options, id, ...(chosen !== lastEvent && { example: chosen }) })
  const { data, error } = useQuery(previewQuery(parsedBody.data))
  const choices = useMemo(() => {
    const examples = (data?.examples ?? []).map(({ name, title }) => ({ value: name, label: title }))
    return id === undefined ? examples : [{ value: lastEvent, label: 'Last event' }, ...examples]
  }, [id, data?.examples])
  const dropped = status ? (data?.dropped ?? null) : 'the entry is inactive'
  // An entry without events has only examples.
  const selectedExample = chosen || (data?.example ?? lastEvent)
  const noneYet = id !== undefined && chosen === lastEvent && selectedExample !== lastEvent
  return (
    <section className={css.preview} aria-label="Preview">
      <SelectField
        label="Preview of"
        options={choices}
        value={data ? selectedExample : null}
        hint={noneYet && 'No events yet, so this is an example.'}
        onChange={choose}
      />
      <div role="status">
        {error && <p className={css.verdict}>No preview available: {reason(error)}</p>}
        {!error && !parsedBody.success && <p className={css.verdict}>Fix the errors above to see the preview.</p>}
        {parsedBody.success && data && <FilterNote dropped={dropped} outcome={data.outcome} />}
      </div>
      {data && (
        <div className={css.message} data-dropped={dropped === null ? undefined : ''}>
          <DiscordMessage message={data.message} isEdited={data.outcome === 'edit'} />
        </div>
      )}
    </section>
  )
}

const outcomes: Record<Preview['outcome'], string> = {
  message: 'This event will be posted.',
  card: 'This event begins the card of its deploy.',
  edit: 'This event edits the card of its deploy.',
  failure: 'This event edits the card of its deploy, and is also posted like this, since edits notify nobody.',
}

function FilterNote({ dropped, outcome }: { dropped: string | null; outcome: Preview['outcome'] }) {
  const Icon = dropped === null ? CircleCheck : CircleSlash
  return (
    <p className={css.verdict} data-dropped={dropped === null ? undefined : ''}>
      <Icon size={15} aria-hidden="true" />
      {dropped === null ? outcomes[outcome] : `This event will be filtered out: ${dropped}.`}
    </p>
  )
}

type Message = Preview['message']
type Embed = NonNullable<Message['embeds']>[number]

function DiscordMessage({ message, isEdited }: { message: Message; isEdited: boolean }) {
  const { username, content, embeds = [] } = message
  return (
    <div className={messageCss.channel}>
      <span className={messageCss.avatar} aria-hidden="true">
        <Webhook size={20} />
      </span>
      <div className={messageCss.message}>
        <p className={messageCss.head}>
          <b>{username}</b>
          <span className={messageCss.app}>APP</span>
          <Now />
        </p>
        {content && <p className={messageCss.content}>{renderMarkdown(content)}</p>}
        {isEdited && <small className={messageCss.edited}>(edited)</small>}
        {embeds.map((embed, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an embed is its place in the message
          <EmbedPart key={position} embed={embed} />
        ))}
      </div>
    </div>
  )
}

// Discord's formats of the time of a message of today, and of the timestamp of an embed.
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' })

const Now = () => <time>{time.format(useNow())}</time>

function EmbedPart({ embed: { title, url, color, description, fields = [], footer, timestamp } }: { embed: Embed }) {
  const foot = [footer?.text, timestamp && dayAndTime.format(Date.parse(timestamp))].filter(Boolean).join(' • ')
  return (
    <div className={messageCss.embed} style={{ borderLeftColor: `#${color.toString(16).padStart(6, '0')}` }}>
      <p className={messageCss.title}>
        <Link to={url}>{renderMarkdown(title, url === undefined ? 'text' : 'link')}</Link>
      </p>
      {description && <p className={messageCss.description}>{renderMarkdown(description)}</p>}
      {rowsOf(fields).map((row, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place in the embed
        <dl key={position} className={messageCss.fields}>
          {row.map(({ name, value }) => (
            <div key={name}>
              <dt>{renderMarkdown(name)}</dt>
              <dd>{renderMarkdown(value)}</dd>
            </div>
          ))}
        </dl>
      ))}
      {foot && <p className={messageCss.foot}>{foot}</p>}
    </div>
  )
}
