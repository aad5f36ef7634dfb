import type { ScreensOf } from '../../../entries/pages/tool-pages.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { herokudiscordwebhook } from '../contract.ts'
import { About } from './about.tsx'
import { columns } from './columns.tsx'
import { Fields } from './fields.tsx'
import { filterWords } from './filter-words.ts'
import { ReachAgain, Side } from './side.tsx'

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
  },
  settingsOf: ({ discordHook, secret, filter, showActor, mentionRole, threadId }) => ({
    discordHook,
    secret,
    filter,
    showActor,
    mentionRole,
    threadId,
  }),
  words: ({ discordHook, secret, filter, showActor, mentionRole, threadId }) => ({
    'Discord Webhook URL': discordHook,
    Secret: secret ? `Ends in ${secret.slice(-4)}` : 'Off',
    'Events to relay': filterWords(filter),
    "Show author's email": showActor ? 'On' : 'Off',
    'Role to mention on failures': mentionRole ?? 'Nobody',
    Thread: threadId ?? 'The channel itself',
  }),
  missing: ({ discordHook }) => (discordHook.trim() ? [] : ['Discord Webhook URL']),
  check: (settings) => issuesOf(herokudiscordwebhook.Settings, settings),
  Fields,
  Side,
  Reach: ReachAgain,
  afterDelete: 'blank',
}
