import { expect, test } from 'vitest'
import { channelTitle } from '../../../shared/title.ts'
import type { ChannelEvent } from '../../channels/contract.ts'
import { summaryOf } from './labels.ts'
import { blank, changesOf, example, formOf, mistakesIn, valuesOf } from './values.ts'

const kind = { id: 'ntfy', label: 'ntfy', fields: { properties: { url: {}, token: {} }, required: ['url'] } }
const quiet = { zone: 'Europe/Berlin', days: [1, 2], from: '21:00', to: '06:00' }
const events: ChannelEvent[] = ['failing', 'account']
const stored = {
  ...{ id: 'c', name: null, type: 'ntfy', status: true, settings: { url: 'https://ntfy.sh/mine', token: '••••abcd' } },
  ...{ events, tools: null, entries: ['e', 'f'], quiet, remindEvery: 6, confirmed: true },
  ...{ failingSince: null, lastError: null, lastSentAt: null, createdAt: 0, updatedAt: 0 },
}

test('the example has a random ntfy topic', () => {
  const form = formOf(example('UTC'), kind)
  expect(form).toMatchObject({ type: 'ntfy', settings: { url: expect.stringMatching(/\/toolbox-[0-9a-f]{24}$/) } })
  expect(formOf(example('UTC'), kind).settings).not.toEqual(form.settings)
})

test('opening and saving a channel changes nothing', () => {
  const { name, type, settings, events, tools, entries, remindEvery } = stored
  const form = { name, type, settings, events, tools, entries, quiet, remindEvery }
  expect(formOf(valuesOf(stored, 'UTC'), kind)).toEqual(form)
})

test('saving an edited channel sends only what was changed', () => {
  const before = valuesOf(stored, 'UTC')
  const changes = (edit: object) => changesOf(before, { ...before, ...edit }, kind)
  expect(changes({})).toEqual({})
  expect(changes({ name: 'On call', from: '22:00' })).toEqual({ name: 'On call', quiet: { ...quiet, from: '22:00' } })
  expect(changes({ 'settings.token': '' })).toEqual({ settings: { url: 'https://ntfy.sh/mine', token: '' } })
  // Sent together, so that a choice made in another tab doesn't remain next to this one.
  expect(changes({ entries: ['e'] })).toEqual({ tools: null, entries: ['e'] })
})

test('a blank form has default values, and drops settings of a previously chosen type', () => {
  const values = { ...blank('ntfy', 'UTC'), name: ' ', 'settings.chat': '1' }
  expect(formOf(values, kind)).toEqual({
    ...{ name: null, type: 'ntfy', settings: { url: '', token: '' }, events: ['failing', 'recovered', 'blocked'] },
    ...{ tools: null, entries: null, quiet: null, remindEvery: null },
  })
  expect(mistakesIn(values)).toEqual({})
})

test('reports options that are chosen but left empty', () => {
  const some = { isQuiet: true, days: [], from: '07:00', to: '07:00', reminds: true, remindEvery: '0.5' }
  expect(Object.keys(mistakesIn({ ...blank('ntfy', 'UTC'), ...some, scope: 'tools' }))).toEqual([
    ...['tools', 'days', 'to', 'remindEvery'],
  ])
  expect(mistakesIn({ ...blank('ntfy', 'UTC'), scope: 'entries' })).toEqual({ entries: 'Choose at least one entry.' })
})

test('titles a channel by its name or target, and summarizes its events', () => {
  expect(channelTitle(stored, 'ntfy')).toBe('ntfy.sh')
  expect(channelTitle({ ...stored, name: 'On call' }, 'ntfy')).toBe('On call')
  expect(channelTitle({ ...stored, settings: { token: '••••' } }, 'Telegram')).toBe('Telegram')
  expect(summaryOf(stored, String)).toBe('Failures, account of 2 entries · quiet 21:00–06:00 · reminder every 6 h')
  expect(
    summaryOf({ ...stored, entries: null, tools: ['a'], quiet: null, remindEvery: null }, () => 'Keep Alive'),
  ).toBe('Failures, account of Keep Alive')
})
