import type { Scene } from '../scene.ts'
import { clickText, inTurn, mockJson, overrideFields, press, type Shot, shot } from '../shot.ts'

const tool = '/tools/herokudiscordwebhook'
const entry = '/api/v1/herokudiscordwebhook?id=*'
const modify = ({ entries }: Scene) => `${tool}/modify?id=${entries.relay}`
const lately = Date.now() - 90_000
const blocked = overrideFields(entry, { held: 12, blocked: { at: lately, why: 'answered 404: Unknown Webhook' } })

export const relayShots: readonly Shot[] = [
  shot('about-relay', 'ada', tool, 'View list'),
  shot('create-relay', 'ada', `${tool}/create`, 'Discord Webhook URL'),
  shot('modify-relay', 'ada', modify, 'Run History'),
  shot('modify-relay-new', 'ada', modify, 'Waiting for the first delivery', {
    before: inTurn(
      overrideFields(entry, { connectedAt: null, lastRun: null, history: [] }),
      mockJson('/api/v1/herokudiscordwebhook/deliveries?id=*', []),
    ),
  }),
  shot('modify-relay-refused', 'ada', modify, '3 deliveries rejected', {
    before: overrideFields(entry, { refused: { count: 3, at: lately, why: 'wrong secret' } }),
  }),
  shot('modify-relay-waiting', 'ada', modify, "Messages aren't reaching Discord", {
    before: overrideFields(entry, {
      waiting: 2,
      retry: { at: Date.now() + 1_800_000, why: 'answered 429: You are being rate limited.' },
    }),
  }),
  shot('modify-relay-blocked', 'ada', modify, 'Replace URL and replay held events', { before: blocked }),
  shot('modify-relay-replace', 'ada', modify, 'Replace URL and replay held events', {
    before: blocked,
    act: press('Replace URL and replay held events'),
    window: true,
  }),
  shot('modify-relay-custom', 'ada', modify, 'Run History', { act: clickText('Custom') }),
  shot('modify-relay-card', 'ada', modify, 'Run History', {
    act: inTurn(press('Message options'), (page) =>
      page.getByRole('switch', { name: 'One message per deploy' }).click(),
    ),
  }),
  shot('modify-relay-payload', 'ada', modify, 'Run History', {
    act: (page) => page.getByRole('region', { name: 'Run History' }).locator('li [aria-expanded]').first().click(),
  }),
  shot('list-relay', 'ada', `${tool}/viewlist`, '1 of 1'),
  shot('list-relay-empty', 'noor', `${tool}/viewlist`, '0 rows'),
]
