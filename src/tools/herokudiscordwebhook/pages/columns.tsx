import { entryColumns } from '../../../entries/pages/columns.tsx'
import type { Item, ScreensOf } from '../../../entries/pages/tool-pages.ts'
import type { Column } from '../../../ui/table/column.ts'
import type { herokudiscordwebhook } from '../contract.ts'
import css from './columns.module.css'

type Relay = Item & { herokuEndpoint: string; discordHook: string; webhookId: string }

/** All of these begin alike, so a narrow column leaves out the beginning. */
const End = ({ text }: { text: string }) => (
  <span className={css.end}>
    <bdi dir="ltr">{text}</bdi>
  </span>
)

const endpoint: Column<Relay> = {
  key: 'herokuEndpoint',
  title: 'Heroku Webhook Endpoint',
  secret: true,
  filter: 'includesString',
  value: (row) => row.herokuEndpoint,
  text: (row) => row.herokuEndpoint,
  show: (row) => <End text={row.herokuEndpoint} />,
}

const destination: Column<Relay> = {
  key: 'discordHook',
  title: 'Discord Webhook URL',
  filter: 'includesString',
  value: (row) => row.discordHook,
  text: (row) => row.discordHook,
  // The list shows masks; a search for the full URL finds the webhook by its id.
  means: (row, query) => query.includes(row.webhookId),
  show: (row) => <End text={row.discordHook} />,
}

export const columns: ScreensOf<typeof herokudiscordwebhook>['columns'] = entryColumns(endpoint, destination)
