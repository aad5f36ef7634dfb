import { mockJson, press, type Shot, shot } from '../shot.ts'

const entry = { tool: 'keepalive', id: 'any' }
const names = Array.from({ length: 10 }, (_, n) => `service-${n}.example.com/healthz`).join(', ')
const notices = [
  ['failing', 'shop.example.com/health is failing (answered 503).', 2, entry],
  ['failing', `1,000 entries are failing: ${names} and 990 more.`, 20, null],
  ['recovered', 'Blog has recovered.', 90, entry],
  [
    'blocked',
    'shop-production is blocked (answered 404). Events are held until the webhook or thread is changed.',
    200,
    entry,
  ],
  ['account', 'New sign-in: “Chrome on Linux”, 203.0.113.0/24.', 1_500, null],
  ['operator', 'The disk is full. Nothing can be saved.', 1_600, null],
  ['announcement', 'Maintenance at noon.\nFive minutes.', 4_000, null],
] as const

/** The inbox items; `age` is in minutes. */
const items = notices.map(([type, message, age, about], index) => {
  const readAt = index > 3 ? Date.now() : null
  return { id: message, type, message, entry: about, at: Date.now() - age * 60_000, readAt }
})

const channel = {
  ...{ events: ['failing', 'recovered', 'blocked'], tools: null, entries: null, quiet: null, remindEvery: null },
  ...{
    status: true,
    confirmed: true,
    failingSince: null,
    lastError: null,
    lastSentAt: null,
    createdAt: 0,
    updatedAt: 0,
  },
}
const quiet = { zone: 'Europe/Berlin', days: [1, 2, 3, 4, 5], from: '22:00', to: '07:00' }
const channels = [
  { ...channel, id: 'a', name: 'On call', type: 'discord', settings: { url: '••••' }, lastSentAt: Date.now() - 60_000 },
  { ...channel, id: 'b', name: null, type: 'email', settings: { to: 'ada@example.com' }, confirmed: false },
  {
    ...{ ...channel, id: 'c', name: 'The channel with a rather long name that nobody wants to read', type: 'ntfy' },
    ...{ settings: { url: 'https://ntfy.example.com/t' }, quiet, remindEvery: 6, tools: ['keepalive'], status: false },
    ...{ failingSince: Date.now() - 86_400_000, lastError: 'answered 403: forbidden, says the server at some length' },
  },
]

const withItems = mockJson('**/api/v1/user/inbox', { unread: 120, items })
const withChannels = mockJson('**/api/v1/user/channels', channels)
const openInbox = { act: press('Inbox'), window: true } as const
const openFullInbox = { act: press('Inbox, 120 unread'), window: true } as const

export const inboxShots: readonly Shot[] = [
  shot('inbox-empty', 'noor', '/', 'Welcome', openInbox),
  shot('inbox', 'ada', '/', 'Welcome', { before: withItems, ...openFullInbox }),
  shot('channels-empty', 'noor', '/user/channels', 'No channels yet'),
  shot('channels', 'ada', '/user/channels', 'On call', { before: withChannels }),
  shot('channels-new', 'ada', '/user/channels', 'No channels yet', { act: press('New channel'), window: true }),
  shot('confirm-email', 'nobody', '/user/confirm-email#any', 'Confirm your email'),
]
