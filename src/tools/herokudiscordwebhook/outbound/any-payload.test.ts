import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parsed } from '../../../../test/support/scenes/relay/example-events.ts'
import { collapseKeyOf } from '../accept.ts'
import { examples } from '../event/examples.ts'
import { type DiscordMessage, messageOf, plainTextOf } from '../message/message.ts'
import { Facts, factsOf } from './deploy-facts.ts'
import { deployMessage } from './send-deploy.ts'

const role = '123456789012345678'

const nasty = fc.constantFrom(
  '@everyone',
  '@here',
  '<@123456789012345678>',
  `<@&${role}>`,
  '**',
  '||',
  '```',
  '[a](https://a.example)',
  '\\',
  '\n# ',
  '👨‍👩‍👧‍👦',
  '🇨🇭',
  'Z\u0351\u036b\u0343',
  '\ud800',
  '\u0000',
  '\u202e',
  '*_~`|<>',
  'https://a.example/_*~',
)
const short = fc.oneof(
  fc.string({ unit: 'binary' }),
  nasty,
  fc.array(nasty).map((all) => all.join('')),
)
const text = fc.oneof(
  { weight: 4, arbitrary: short },
  fc.tuple(short, fc.constantFrom(300, 2_000, 20_000)).map(([piece, times]) => piece.slice(0, 30).repeat(times)),
)
const leaf = fc.oneof(text, fc.jsonValue(), fc.integer(), fc.constant('2026-03-14T09:26:53.123456Z'))

/** Records with any of these fields, each with such a value. */
const someOf = (names: string, value: fc.Arbitrary<unknown>) =>
  fc.record(Object.fromEntries(names.split(' ').map((name) => [name, value])), { requiredKeys: [] })

/** The fields that cards read, in their places, filled with arbitrary values. */
const read = someOf('name description hostname cname kind type size quantity version role', leaf)
const inner = someOf('name commit commit_description version version_description url', leaf)
const nested = someOf('app slug release source_blob addon plan addon_service', inner)
const statuses = fc.oneof(fc.constantFrom('pending', 'succeeded', 'failed', 'up', 'crashed', 'none'), leaf)
const data = fc
  .tuple(read, nested, fc.record({ status: statuses, state: statuses, exit_status: leaf }, { requiredKeys: [] }))
  .map((parts) => Object.assign({}, ...parts))
const envelope = fc.record(
  {
    action: fc.oneof(fc.constantFrom('create', 'update', 'destroy'), leaf),
    actor: fc.oneof(leaf, fc.record({ email: leaf })),
    data: fc.oneof(data, fc.jsonValue()),
    previous_data: fc.oneof(data, fc.jsonValue()),
    published_at: leaf,
    webhook_metadata: fc.jsonValue(),
    resource: fc.constantFrom('build', 'release', 'dyno', 'app', 'constructor', '__proto__', 'some-thing'),
  },
  { requiredKeys: [] },
)
const payload = fc
  .tuple(fc.constantFrom(...examples), envelope)
  .map(([example, changes]) => ({ ...Object(example.payload), ...changes }))

const lengthOf = (...texts: (string | undefined)[]) => texts.reduce((sum, one) => sum + (one?.length ?? 0), 0)

function expectWithinLimits({ username, content, embeds = [] }: DiscordMessage) {
  expect(lengthOf(username)).toBeLessThanOrEqual(80)
  expect(lengthOf(content)).toBeLessThanOrEqual(2000)
  expect(embeds.length).toBeLessThanOrEqual(1)
  let all = 0
  for (const { title, description, footer, fields = [] } of embeds) {
    expect(title.trim()).not.toBe('')
    expect(lengthOf(title)).toBeLessThanOrEqual(256)
    expect(lengthOf(description)).toBeLessThanOrEqual(4096)
    expect(lengthOf(footer?.text)).toBeLessThanOrEqual(2048)
    expect(fields.length).toBeLessThanOrEqual(25)
    all += lengthOf(title, description, footer?.text)
    for (const { name, value } of fields) {
      expect(name.trim() && value.trim()).not.toBe('')
      expect(lengthOf(name)).toBeLessThanOrEqual(256)
      expect(lengthOf(value)).toBeLessThanOrEqual(1024)
      all += lengthOf(name, value)
    }
  }
  expect(all).toBeLessThanOrEqual(6000)
}

const textsOf = ({ embeds = [] }: DiscordMessage) =>
  embeds.flatMap(({ title, description = '', fields = [], footer }) => [
    title,
    description,
    footer?.text ?? '',
    ...fields.flatMap(({ name, value }) => [name, value]),
  ])

/** Removes escaped characters, which leaves what Discord would interpret. */
const unescaped = (text: string) => text.replace(/\\[^\da-z\s]/gi, '')

function expectNobodyCalled(message: DiscordMessage, called: string[]) {
  expect(message.allowed_mentions).toEqual(called.length > 0 ? { parse: [], roles: called } : { parse: [] })
  const texts = [...textsOf(message), (message.content ?? '').replace(`<@&${role}>`, '')].map(unescaped)
  for (const one of texts) expect(one).not.toMatch(/@everyone|@here|<[@#:]/i)
}

describe('any posted payload', () => {
  test('makes a message within all limits and without unintended mentions, also in plain text', () => {
    fc.assert(
      fc.property(payload, fc.boolean(), fc.constantFrom(null, role), (raw, showActor, mentionRole) => {
        const event = parsed(raw)
        const message = messageOf(event, { showActor, mentionRole })
        const plain = plainTextOf(message)
        const called = message.content && mentionRole ? [mentionRole] : []
        for (const one of [message, plain]) {
          expectWithinLimits(one)
          expectNobodyCalled(one, called)
          expect(JSON.stringify(one).isWellFormed() && !/\\ud[89a-f]/.test(JSON.stringify(one))).toBe(true)
        }
        expect(plain).not.toHaveProperty('embeds')
        expect(plain.content?.trim()).not.toBe('')
        expect(() => collapseKeyOf(event, 'an entry')).not.toThrow()
      }),
      { numRuns: 500 },
    )
  })

  test('makes a deploy card that can be stored and is as safe as a message', () => {
    const either = fc.constantFrom('build', 'release')
    fc.assert(
      fc.property(payload, data, either, fc.constantFrom(null, role), (raw, content, resource, mentionRole) => {
        const metadata = { webhook_metadata: null, resource }
        const facts = factsOf(parsed({ ...raw, ...metadata, data: { ...content, id: 'an-id' } }))!
        const stored = Facts.parse(JSON.parse(JSON.stringify(facts)))
        const message = deployMessage(stored, { showActor: true, mentionRole })
        expectWithinLimits(message)
        expectNobodyCalled(message, mentionRole ? [mentionRole] : [])
        expect(message).toEqual(deployMessage(facts, { showActor: true, mentionRole }))
      }),
      { numRuns: 300 },
    )
  })

  test('has no text that Discord would render as markdown', () => {
    const live = /[*_~|`[\]<>]/
    const links = /https?:\/\/[^\s\\]+/gi
    fc.assert(
      fc.property(text, (description) => {
        const event = parsed({ id: 'e-1', resource: 'some-thing', data: { description, name: description } })
        for (const one of textsOf(messageOf(event, { showActor: true, mentionRole: role })))
          expect(unescaped(one.replace(links, ''))).not.toMatch(live)
      }),
    )
  })

  test('makes a message within all limits at the maximum size of an event', () => {
    const huge = `${'a@'.repeat(40_000)}${'http://'.repeat(20_000)}${'Set '.repeat(10_000)}`
    const event = parsed({
      id: 'e-1',
      resource: 'release',
      data: { id: 'r-1', description: huge, app: { name: huge } },
    })
    expectWithinLimits(messageOf(event, { showActor: true, mentionRole: null }))
  })
})
