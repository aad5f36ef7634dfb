import type { Page } from '@playwright/test'
import type { Scene } from '../scene.ts'
import { clickText, fill, inTurn, mockJson, overrideFields, press, type Shot, seeText, shot } from '../shot.ts'

const relay = ({ entries }: Scene) => `/tools/herokudiscordwebhook/modify?id=${entries.relay}`
const page = ({ entries }: Scene) => `/tools/ghmdinvalidator/modify?id=${entries.page}`
const lately = Date.now() - 90_000
const long = 'https://raw.githubusercontent.com/octocat/hello-world/main/docs/pictures/of/the/whole/machine-room.png'

const notes = [
  { type: 'info', message: 'Maintenance at 02:00 UTC, about five minutes.' },
  { type: 'success', message: 'The machine is back.' },
  { type: 'warning', message: 'Runs are late: 40 s at the moment. Nothing is lost; they catch up by themselves.' },
  { type: 'danger', message: `Discord refuses the webhook of the relay ${'0a1b2c3d-'.repeat(6)}.\nReplace its URL.` },
].map((note) => ({ ...note, issuedAt: lately, author: 'ليلى بنت عبد الرحمن' }))

/** Replaces the event stream by one that delivers all these announcements immediately. */
const mockAnnouncements = (page: Page) =>
  page.addInitScript(`window.EventSource = class extends EventTarget {
    constructor() {
      super()
      const arrive = () => {
        this.dispatchEvent(new Event('open'))
        for (const note of ${JSON.stringify(notes)})
          this.dispatchEvent(new MessageEvent('notification', { data: JSON.stringify(note) }))
      }
      setTimeout(arrive)
    }
    close() {}
  }`)

const states = ['accepted', 'delivered', 'held', 'ignored', 'collapsed'] as const
const reasons = {
  accepted: 'answered 503, again in 40 s',
  delivered: 'answered 200',
  held: `answered 404: ${'Unknown Webhook, and what else Discord has to say of it. '.repeat(4)}`,
  ignored: 'The filter lets through deploys and crashes only',
  collapsed: 'Duplicate of a recent event',
}
const deliveries = Array.from({ length: 200 }, (_, index) => {
  const state = states[index % states.length] ?? 'held'
  const title = index === 2 ? `an-app-with-a-${'very-'.repeat(12)}long-name: v44 released` : `lantern-api: v${index}`
  const what = { resource: 'api:release', action: 'update', attempts: index % 5, note: reasons[state], title }
  return { id: `${index}`, eventId: 'b6dbb7b2-7482-4a42-85b3-69647c4609a0', state, receivedAt: lately - index, ...what }
})
const fullLog = mockJson('/api/v1/herokudiscordwebhook/deliveries?id=*', deliveries)
const images = Array.from({ length: 40 }, (_, index) => {
  const outcome = (['purged', 'fresh', 'failed'] as const)[index % 3]
  return { origin: `${long}?of=${index}`, outcome, note: outcome === 'failed' ? 'the proxy answered 502' : null }
})

const compare = (outcome: string | undefined) =>
  outcome === 'failed'
    ? { state: 'stale', cause: 'an error is cached: GitHub answers 404 instead of the image' }
    : { state: 'current', cause: "both copies match, but the image's server answers from its own cache (x-cache: HIT)" }
const copy = { type: 'image/png', length: 218_034, picture: null }
const withCopies = <Image extends { outcome: string | undefined }>(image: Image) => ({
  ...image,
  compared: { ...compare(image.outcome), github: { ...copy, type: 'text/html' }, source: copy },
})

export const crowdedShots: readonly Shot[] = [
  shot('toasts', 'ada', '/tools/keepalive', 'Maintenance', { before: mockAnnouncements, window: true }),
  shot('toasts-over-dialog', 'ada', '/user/keys', 'Maintenance', {
    before: mockAnnouncements,
    window: true,
    act: press('New API key'),
    only: 'desktop',
  }),
  shot('announce-many', 'ada', '/admin/notifications', 'By ليلى', {
    before: mockJson(
      '/api/v1/admin/notifications',
      notes.map((note, id) => ({ ...note, id: `${id}` })),
    ),
  }),
  shot('modify-relay-log', 'ada', relay, 'lantern-api: v1', {
    before: fullLog,
    act: clickText('Replay from…'),
  }),
  shot('modify-relay-since', 'ada', relay, 'lantern-api: v1', {
    before: fullLog,
    window: true,
    act: inTurn(clickText('Replay from…'), fill('From', '2020-01-01T00:00:00')),
  }),
  shot('modify-relay-many', 'ada', relay, 'Statuses', {
    before: overrideFields('/api/v1/herokudiscordwebhook?id=*', {
      filter: { resources: Array.from({ length: 40 }, (_, index) => `api:resource-${index}`), statuses: ['failed'] },
    }),
  }),
  shot('create-ghmd-preview', 'ada', '/tools/ghmdinvalidator/create', 'Preview', {
    before: mockJson('/api/v1/ghmdinvalidator/preview', {
      items: images.slice(0, 3).map(({ origin }) => ({ origin, camo: origin })),
      ...{ ignored: [long], kind: 'repository', movedTo: 'https://github.com/octocat/hello' },
    }),
    act: inTurn(fill('URL', 'https://github.com/octocat/hello-world'), press('Preview'), seeText('To purge (3)')),
  }),
  shot('modify-ghmd-images', 'ada', page, 'Images in the last run', {
    before: mockJson('/api/v1/ghmdinvalidator/images?id=*', {
      ...{ at: lately, movedTo: 'https://github.com/octocat/hello', images },
    }),
  }),
  shot('modify-ghmd-copies', 'ada', page, 'Images in the last run', {
    before: mockJson('/api/v1/ghmdinvalidator/images?id=*', {
      ...{ at: lately, movedTo: null, images: images.map(withCopies) },
    }),
  }),
  shot('check-ghmd-answer', 'ada', '/tools/ghmdinvalidator/check', 'Page or image URL', {
    before: mockJson('/api/v1/ghmdinvalidator/check', {
      images: images.map(({ origin, outcome }) => ({ ...compare(outcome), camo: null, origin })),
      page: { url: long, kind: 'repository', movedTo: null },
    }),
    act: inTurn(
      fill('Page or image URL', 'https://github.com/octocat/hello-world'),
      press('Compare'),
      seeText('Keep this page fresh'),
    ),
  }),
  shot('modify-ghmd-renew', 'ada', page, 'Regenerate URL', { act: press('Regenerate URL'), window: true }),
  shot('user-fresh-key', 'ada', '/user/keys', 'New API key', {
    window: true,
    before: (page) =>
      page.route('/api/v1/user/apikeys', (route) =>
        route.request().method() === 'POST'
          ? route.fulfill({ status: 201, json: { id: 'one', key: `tbx_${'0123456789abcdef'.repeat(3)}` } })
          : route.fallback(),
      ),
    act: inTurn(press('New API key'), fill('Name', 'deploy'), press('Create key'), seeText('tbx_')),
  }),
  shot('user-tags-open', 'ada', '/admin/user/create', 'No Access', { act: press('Show Tags'), window: true }),
  shot('audit-open', 'ada', '/admin/audit', 'Edited user', {
    act: (page) => page.locator('td [aria-expanded]').first().click(),
  }),
  shot('menu-user', 'layla', '/', 'Welcome', {
    act: inTurn((page) => page.getByRole('button', { name: /ليلى/ }).click(), seeText('User Profile')),
    window: true,
    only: 'desktop',
  }),
]
