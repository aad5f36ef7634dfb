import { useState } from 'react'
import type { ScreensOf } from '../../../entries/pages/tool-pages.ts'
import { withScheme } from '../../../ui/form/address/web-address.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { herokudiscordwebhook } from '../contract.ts'
import { About } from './about.tsx'
import { RelayAhead } from './ahead.tsx'
import { columns } from './columns.tsx'
import { Reach } from './connection/reach.tsx'
import { State } from './connection/state.tsx'
import { Deliveries } from './deliveries/deliveries.tsx'
import { Fields } from './fields.tsx'
import { filterWords } from './filter-words.ts'
import type { Relay } from './relay.ts'

function Side({ entry }: { entry: Relay }) {
  // Until Heroku has connected, how to do so comes first, and stays there while the page is open.
  const [isReachFirst] = useState(entry.connectedAt === null)
  return (
    <>
      <State entry={entry} />
      {isReachFirst && <Reach entry={entry} />}
      <Deliveries entry={entry} />
      {!isReachFirst && <Reach entry={entry} />}
    </>
  )
}

export const screens: ScreensOf<typeof herokudiscordwebhook> = {
  contract: herokudiscordwebhook,
  listLead: 'Heroku apps that post to a Discord channel.',
  statusHint: "Turn off to ignore Heroku's deliveries. Events are logged as ignored.",
  About,
  columns,
  blank: {
    discordHook: '',
    secret: undefined,
    filter: { preset: 'everything' },
    showActor: false,
    mentionRole: null,
    threadId: null,
    card: false,
  },
  example: {
    text: 'For example, the deploys and crashes of an app, one card each. You need the URL of a Discord webhook.',
    values: { name: 'Deploys of my-app', filter: { preset: 'deploysAndCrashes' }, card: true },
  },
  settingsOf: ({ discordHook, secret, filter, showActor, mentionRole, threadId, card }) => ({
    discordHook,
    secret,
    filter,
    showActor,
    mentionRole,
    threadId,
    card,
  }),
  words: ({ discordHook, secret, filter, showActor, mentionRole, threadId, card }) => ({
    'Discord Webhook URL': discordHook,
    Secret: secret ? `Ends in ${secret.slice(-4)}` : 'Off',
    'Events to relay': filterWords(filter),
    'One card a deploy': card ? 'On' : 'Off',
    "Show author's email": showActor ? 'On' : 'Off',
    'Role to mention on failures': mentionRole ?? 'Nobody',
    Thread: threadId ?? 'The channel itself',
  }),
  missing: ({ discordHook }) => (discordHook.trim() ? [] : ['Discord Webhook URL']),
  check: async (settings) => issuesOf(herokudiscordwebhook.Settings, settings),
  complete: ({ discordHook }) => ({ discordHook: withScheme(discordHook) }),
  withoutSecrets: () => ({ discordHook: '', secret: undefined }),
  Fields,
  Ahead: RelayAhead,
  Side,
  rate: 'Success rate',
  hasOwnLog: true,
  afterDelete: 'blank',
}
