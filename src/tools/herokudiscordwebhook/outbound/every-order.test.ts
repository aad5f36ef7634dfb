import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DeployEvents, deployEvents } from '../../../../test/support/scenes/relay/deploy-events.ts'
import { parsed } from '../../../../test/support/scenes/relay/example-events.ts'
import { type DeployCard, matchCard } from './deploy-cards.ts'
import { factsOf } from './deploy-facts.ts'
import { deployMessage } from './send-deploy.ts'

const options = { showActor: false, mentionRole: null }

/** The cards that result from these events in this order. */
function cardsAfter(events: readonly Record<string, unknown>[]): DeployCard[] {
  let cards: DeployCard[] = []
  for (const [index, payload] of events.entries()) {
    const id = String(index).padStart(3, '0')
    const destination = { id, webhookId: '1', threadId: null }
    const { card, merged, separated } = matchCard(cards, factsOf(parsed(payload))!, destination)
    const changed = [card, ...(separated ? [separated] : [])]
    const replaced = new Set([...changed, ...merged].map((one) => one.id))
    const posted = changed.map((one) => ({ ...one, messageId: one.messageId ?? `m${one.id}` }))
    cards = [...cards.filter((one) => !replaced.has(one.id)), ...posted]
  }
  return cards
}
const messagesAfter = (events: readonly Record<string, unknown>[]) =>
  cardsAfter(events)
    .map(({ facts }) => deployMessage(facts, options).embeds?.[0])
    .toSorted((one, other) => (one!.title < other!.title ? -1 : 1))

/** An arbitrary order of these events, each at least once and some repeated. */
const anyOrderOf = (events: readonly Record<string, unknown>[]) =>
  fc
    .tuple(
      fc.shuffledSubarray([...events], { minLength: events.length }),
      fc.array(fc.constantFrom(...events), { maxLength: 4 }),
    )
    .chain(([all, repeated]) => fc.shuffledSubarray([...all, ...repeated], { minLength: all.length + repeated.length }))

const permutations = <T>(all: readonly T[]): T[][] =>
  all.length < 2
    ? [[...all]]
    : all.flatMap((one, at) => permutations(all.toSpliced(at, 1)).map((rest) => [one, ...rest]))

const kinds: [string, (keyof DeployEvents)[], string][] = [
  [
    'succeeds',
    ['buildPending', 'buildSucceeded', 'releasePending', 'releaseSucceeded'],
    '🚀 lantern-api: v42 released',
  ],
  [
    'fails at its release',
    ['buildPending', 'buildSucceeded', 'releasePending', 'releaseFailed'],
    '❌ lantern-api: v42 failed',
  ],
  ['fails at its build', ['buildPending', 'buildFailed'], '❌ lantern-api: build failed'],
  [
    'is followed by another',
    ['buildPending', 'buildSucceeded', 'releasePending', 'releaseSucceeded', 'superseded'],
    '🚀 lantern-api: v42 released, not current',
  ],
]

test.each(kinds)(
  'a deploy that %s has one card, and the same one for every order and repetition of its events',
  (_how, names, title) => {
    const all = deployEvents()
    const events = names.map((name) => all[name])
    const expected = messagesAfter(events)
    expect(expected).toMatchObject([{ title }])
    for (const order of permutations(events)) expect(messagesAfter(order)).toEqual(expected)
    fc.assert(
      fc.property(anyOrderOf(events), (order) => {
        expect(messagesAfter(order)).toEqual(expected)
      }),
    )
  },
)

test('a deploy and a rollback to its slug create two cards, whatever the order of their six events', () => {
  const { buildPending, buildSucceeded, releasePending, releaseSucceeded } = deployEvents()
  const { slug } = Object(releaseSucceeded.data)
  const back = { slug, version: 44, id: 'r-44', description: 'Rollback to v42' }
  const rollbackOf = (from: Record<string, unknown>) => ({
    ...from,
    id: `${from.id}-44`,
    data: { ...Object(from.data), ...back },
  })
  const events = [
    buildPending,
    buildSucceeded,
    releasePending,
    releaseSucceeded,
    rollbackOf(releasePending),
    rollbackOf(releaseSucceeded),
  ]
  const expected = messagesAfter(events)
  expect(expected).toMatchObject([
    { title: '⏪ lantern-api: v44 released, back to v42' },
    { title: '🚀 lantern-api: v42 released' },
  ])
  for (const order of permutations(events)) expect(messagesAfter(order)).toEqual(expected)
})

test('two deploys with interleaved events keep separate cards', () => {
  const one = deployEvents()
  const other = deployEvents({ version: 43, began: Date.UTC(2026, 2, 14, 9, 21) })
  const events = [one, other].flatMap((each) => [each.buildPending, each.buildSucceeded, each.releaseSucceeded])
  const expected = messagesAfter(events)
  expect(expected).toMatchObject([{ title: '🚀 lantern-api: v42 released' }, { title: '🚀 lantern-api: v43 released' }])
  for (const order of permutations(events)) expect(messagesAfter(order)).toEqual(expected)
})

test.each(['slug', 'release'] as const)('a build that names only its %s is matched with its release', (name) => {
  const { buildSucceeded, releaseSucceeded } = deployEvents()
  const data = { ...Object(buildSucceeded.data), [name === 'slug' ? 'release' : 'slug']: null }
  const events = [{ ...buildSucceeded, data }, releaseSucceeded]
  for (const order of permutations(events)) expect(cardsAfter(order)).toHaveLength(1)
})

test('a release that was wrongly matched with a build gets a separate card', () => {
  const one = deployEvents()
  const other = deployEvents({ version: 43 })
  const unnamed = { ...one.buildPending, data: { ...Object(one.buildPending.data), source_blob: null } }
  const before = cardsAfter([unnamed, other.releaseSucceeded])
  expect(before).toHaveLength(1)
  const [first, second] = messagesAfter([unnamed, other.releaseSucceeded, one.buildSucceeded, one.releaseSucceeded])
  expect(first).toMatchObject({ title: '🚀 lantern-api: v42 released', footer: { text: 'api:build · api:release' } })
  expect(second).toMatchObject({ title: '🚀 lantern-api: v43 released', footer: { text: 'api:release' } })
})

test('a card shows what was deployed and how long each step took', () => {
  const { buildPending, buildSucceeded, releaseSucceeded } = deployEvents()
  const [embed] = messagesAfter([buildPending, buildSucceeded, releaseSucceeded])
  expect(embed!.description).toBe('Light the lamp before the \\*fog\\* comes in')
  expect(embed!.fields).toEqual([
    { name: 'Commit', value: expect.stringMatching(/^\[`[0-9a-f]{7}`\]\(https:\/\/github\.com\//), inline: true },
    { name: 'Build', value: '✅ 3 min 12 s', inline: true },
    { name: 'Release', value: 'v42 ✅ 42 s', inline: true },
    { name: 'Total', value: '3 min 55 s', inline: true },
    { name: 'Stack', value: 'heroku-24', inline: true },
  ])
})
