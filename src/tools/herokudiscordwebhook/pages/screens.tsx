import { Link } from '@tanstack/react-router'
import type { ListItemOf } from '../../../entries/contract.ts'
import { AboutCard, NextSteps } from '../../../entries/pages/aside.tsx'
import { entryColumns } from '../../../entries/pages/columns.tsx'
import { modifyPath } from '../../../entries/pages/head.tsx'
import type { Item, ScreensOf } from '../../../entries/pages/tool-pages.ts'
import { linkClass } from '../../../ui/components/button.tsx'
import type { Draft } from '../../../ui/form/draft.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { withScheme } from '../../../ui/form/web-address.ts'
import { formatTime } from '../../../ui/format-time.ts'
import { columnOf } from '../../../ui/table/column.ts'
import { herokudiscordwebhook, relayColumnTerms } from '../contract.ts'
import { herokudiscordwebhookNames } from '../terms.ts'
import type { Values } from './calls.ts'
import { Log, SendTest } from './deliveries.tsx'
import { eventCount } from './delivery-labels.ts'
import { Fields, fields, Rare } from './fields.tsx'
import { PreviewPart } from './preview.tsx'
import css from './screens.module.css'
import { Connection } from './state.tsx'

function About() {
  return (
    <AboutCard>
      <Picture />
      <h2>Every deploy in your channel, in order</h2>
      <p>
        Heroku can send a webhook for every build, release and crash. ToolBox forwards them to your Discord channel:
        paste a webhook URL of the channel, run one command, and each event becomes a message with the app, version,
        commit and duration.
      </p>
      <p>
        Heroku gets its answer as soon as an event is stored. While Discord is slow, rate-limited or down, events wait
        in order. If a webhook is deleted, they are held until you replace it. Nothing is lost.
      </p>
    </AboutCard>
  )
}

const Picture = () => (
  <svg className={css.picture} viewBox="0 0 800 110" aria-hidden="true">
    <path className={css.way} d="M40 55H560" />
    {[0, 1, 2, 3, 4, 5].map((index) => (
      <g key={index} transform={`translate(${60 + index * 92} 55)`}>
        <circle className={css.ground} r={12} />
        <circle className={css.event} r={9} opacity={0.3 + index * 0.14} />
      </g>
    ))}
    <path className={css.way} d="M552 43l14 12l-14 12" />
    <g transform="translate(610 14)">
      <path
        className={css.bubble}
        d="M10 2H140a10 10 0 0 1 10 10V58a10 10 0 0 1-10 10H42l-18 16v-16H10a10 10 0 0 1-10-10V12a10 10 0 0 1 10-10z"
      />
      <path className={css.edge} d="M20 20V50" />
      <path className={css.line} d="M38 24H104M38 36H126M38 48H86" />
    </g>
  </svg>
)

const RelayAhead = ({ draft }: { draft: Draft<Values> }) => (
  <NextSteps
    steps={[
      <>
        <b>As soon as you save</b>, you get an endpoint and the command that adds it to your Heroku app.
      </>,
      <>Each event that Heroku sends is kept first, then posted to the channel in order.</>,
      <>If Discord can't be reached, we try again for hours. Nothing is lost meanwhile.</>,
    ]}
  >
    <PreviewPart draft={draft} />
  </NextSteps>
)

type Row = Item &
  Pick<ListItemOf<typeof herokudiscordwebhook>, 'herokuEndpoint' | 'discordHook' | 'webhookId' | 'waiting' | 'retry'>

/** These texts differ at the end, which gets its own line. A narrow column cuts off the beginning of each line. */
const InTwo = ({ text, end }: { text: string; end: number }) => (
  <span className={css.inTwo}>
    {[text.slice(0, -end), text.slice(-end)].map((line) => (
      <span key={line}>
        <bdi dir="ltr">{line}</bdi>
      </span>
    ))}
  </span>
)

/** The length of an endpoint's token, and of the visible part of a token in a mask. */
const [tokenLength, maskLength] = [43, 8]

const endpoint = columnOf<Row>('herokuEndpoint', relayColumnTerms.herokuEndpoint, {
  secret: true,
  value: (row) => row.herokuEndpoint,
  show: (row) => <InTwo text={row.herokuEndpoint} end={tokenLength} />,
})

const destination = columnOf<Row>('discordHook', relayColumnTerms.discordHook, {
  value: (row) => row.discordHook,
  // The list shows masks; a search for the full URL finds the webhook by its id.
  alsoMatches: (row, query) => query.includes(row.webhookId),
  show: (row) => <InTwo text={row.discordHook} end={maskLength} />,
})

const columns: ScreensOf<typeof herokudiscordwebhook>['columns'] = entryColumns(
  {
    tool: herokudiscordwebhookNames,
    hasAbout: true,
    warning: ({ retry, waiting }) => (retry ? `${eventCount(waiting)} waiting` : undefined),
    untried: ({ id, about }) =>
      about === '' && (
        <Link to={modifyPath(herokudiscordwebhookNames)} search={{ id }} className={linkClass}>
          Connect Heroku
        </Link>
      ),
  },
  endpoint,
  destination,
)

export const screens: ScreensOf<typeof herokudiscordwebhook> = {
  contract: herokudiscordwebhook,
  statusHint: "Turn off to ignore Heroku's deliveries. Events are logged as ignored.",
  About,
  columns,
  fields,
  example: {
    text: 'For example, the deploys and crashes of an app, one message each. You need the URL of a Discord webhook.',
    values: { name: 'Deploys of my-app', filter: { preset: 'deploysAndCrashes' }, card: true },
  },
  check: async (settings) => issuesOf(herokudiscordwebhook.Settings, settings),
  complete: ({ discordHook }) => ({ discordHook: withScheme(discordHook) }),
  withoutSecrets: () => ({ discordHook: '', secret: undefined }),
  Fields,
  Beside: PreviewPart,
  Rare,
  NextSteps: RelayAhead,
  Act: SendTest,
  run: 'message',
  untitled: ({ createdAt }) => `Relay, created ${formatTime(createdAt)}`,
  Overview: Connection,
  Log,
  rate: 'Success rate',
  afterDelete: 'blank',
}
