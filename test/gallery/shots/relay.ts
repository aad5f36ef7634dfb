import type { Scene } from '../scene.ts'
import { at, but, instead, press, type Shot } from '../shot.ts'

const tool = '/tools/herokudiscordwebhook'
const entry = '/api/v1/herokudiscordwebhook?id=*'
const modify = ({ entries }: Scene) => `${tool}/modify?id=${entries.relay}`
const lately = Date.now() - 90_000

/** The relay: new, connected, and in each kind of trouble. */
export const relayShots: readonly Shot[] = [
  { name: 'about-relay', as: 'ada', path: at(tool), shows: 'View list' },
  { name: 'create-relay', as: 'ada', path: at(`${tool}/create`), shows: 'Discord Webhook URL' },
  { name: 'modify-relay', as: 'ada', path: modify, shows: 'Run History' },
  {
    name: 'modify-relay-new',
    as: 'ada',
    path: modify,
    shows: 'Waiting for the first delivery',
    async before(page) {
      await but(entry, { connectedAt: null, lastRun: null, history: [] })(page)
      await instead('/api/v1/herokudiscordwebhook/deliveries?id=*', (route) => route.fulfill({ json: [] }))(page)
    },
  },
  {
    name: 'modify-relay-refused',
    as: 'ada',
    path: modify,
    shows: '3 deliveries rejected',
    before: but(entry, { refused: { count: 3, at: lately, why: 'wrong secret' } }),
  },
  {
    name: 'modify-relay-blocked',
    as: 'ada',
    path: modify,
    shows: 'Replace URL and replay held events',
    before: but(entry, { held: 12, blocked: { at: lately, why: 'answered 404: Unknown Webhook' } }),
  },
  {
    name: 'modify-relay-replace',
    as: 'ada',
    path: modify,
    shows: 'Replace URL and replay held events',
    before: but(entry, { held: 12, blocked: { at: lately, why: 'answered 404: Unknown Webhook' } }),
    act: press('Replace URL and replay held events'),
    window: true,
  },
  {
    name: 'modify-relay-custom',
    as: 'ada',
    path: modify,
    shows: 'Run History',
    act: (page) => page.getByText('Custom', { exact: true }).click(),
  },
  {
    name: 'modify-relay-card',
    as: 'ada',
    path: modify,
    shows: 'Run History',
    async act(page) {
      await press('Message options')(page)
      await page.getByRole('switch', { name: 'One message per deploy' }).click()
    },
  },
  {
    name: 'modify-relay-payload',
    as: 'ada',
    path: modify,
    shows: 'Run History',
    act: (page) => page.getByRole('region', { name: 'Run History' }).locator('li [aria-expanded]').first().click(),
  },
  { name: 'list-relay', as: 'ada', path: at(`${tool}/viewlist`), shows: '1 of 1' },
  { name: 'list-relay-empty', as: 'noor', path: at(`${tool}/viewlist`), shows: '0 rows' },
]
