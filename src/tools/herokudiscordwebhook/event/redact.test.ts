import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventOf, parsed, payloadOf } from '../../../../test/support/scenes/relay/example-events.ts'
import { messageOf } from '../message/message.ts'
import { examples } from './examples.ts'
import { mostStored, redactPayload } from './redact.ts'
import { scrub } from './text.ts'

const secrets = [
  'example-source-token',
  'example-build-signature',
  'example-source-signature',
  'example-release-signature',
  'EXAMPLE_LAMP_OIL',
  'EXAMPLE_WICK',
  'EXAMPLE_DATABASE_URL',
  'example-typed-key',
  'example-typed-word',
  'example-rendezvous',
  'example-drain-key',
  'example-drain-token',
  'ZXhhbXBsZS1jZXJ0aWZpY2F0ZQ==',
  'owner@lantern.example',
  'bo@lantern.example',
]
const actors = ['ada@lantern.example', 'postgres-robot@addons.example']
const found = (words: string[], text: string) => words.filter((word) => text.includes(word))

describe('secrets', () => {
  test('in the list all occur in the examples', () => {
    const text = JSON.stringify(examples)
    expect(found([...secrets, ...actors], text)).toEqual([...secrets, ...actors])
  })

  test.each(examples)('of $name are neither stored nor relayed', ({ payload }) => {
    const event = parsed(payload)
    for (const showActor of [true, false]) {
      const message = JSON.stringify(messageOf(event, { showActor, mentionRole: null }))
      const stored = redactPayload(payload, { showActor })
      const output = `${message} ${stored}`
      expect(found(secrets, output)).toEqual([])
      const others = actors.filter((email) => !showActor || email !== event.actor?.email)
      expect(found(others, output)).toEqual([])
    }
  })

  test.each([
    ['an email address', 'Ask eve.planted@x.example, she knows'],
    ['an email address in JSON', '{"who":"eve.planted@x.example"}'],
    ['an email address in JSON in JSON', '{\\"who\\":\\"eve\\\\u0040planted.example\\"}'],
    ['an email address in a link', 'user=eve%40planted.example'],
    ['an email address with a slash', 'Ask a/planted@x.example'],
    ['an email address at a host that begins like a version', 'Ask planted@3-d.example or eve.planted@1.example'],
    ['a user at a machine', 'ssh planted@10.0.0.1'],
    ['a password with a slash', 'postgres://eve:pass/planted@db and https://eve:1/@planted/main'],
    ['a signed link in JSON', '{"at":"https:\\/\\/logs.example\\/a?sig=planted"}'],
    ['a signed link in a link', 'to=https%3A%2F%2Flogs.example%2Fa%3Fsig%3Dplanted'],
    ['a password in JSON in JSON', '{\\"password\\":\\"planted\\"}'],
    ['a signed link', 'see https://logs.example/a?sig=planted and more'],
    ['a user in a link', 'postgres://eve:planted@db.example/main'],
    ['a certificate', 'it is -----BEGIN RSA PRIVATE KEY-----\nplanted\n-----END RSA PRIVATE KEY-----'],
    ['a password', 'password=planted'],
    ['an API key alone', 'tbx_planted'],
    ['a signing secret alone', 'whsec_planted'],
    ['names of settings', 'Set planted, OTHER config vars'],
    ['names of many settings', 'Remove A,\nplanted config vars'],
  ])('in texts are hidden: %s', (_what, text) => {
    const data = { description: text, name: text, hostname: text, version_description: text }
    for (const name of ['release-succeeded', 'unknown-resource', 'domain-create', 'build-succeeded']) {
      const payload = payloadOf(name, { data: { ...eventOf(name).data, ...data, source_blob: data, slug: data } })
      expect(redactPayload(payload, { showActor: true })).not.toContain('planted')
      expect(JSON.stringify(messageOf(parsed(payload), { showActor: true, mentionRole: null }))).not.toContain(
        'planted',
      )
    }
  })

  test('do not include versions or scopes of packages, or versions of actions', () => {
    const packages = [
      'Releases: @kie/act-js@2.1.3 @kie/mock-github@1.1.0',
      'chore(release): publish shop-ui@1.4.0, core@2.0.0-beta.1+5.',
      'Pin actions/checkout@v4 and docker/build-push-action@v5 (owner/action@main)',
      'see https://www.npmjs.com/package/@scope/pkg and https://unpkg.com/react@18.2.0/umd/react.js',
    ]
    for (const text of packages) expect(scrub(text)).toBe(text)
  })

  test.each([
    'output_stream_url',
    'attach_url',
    'certificate_chain',
    'ssl_cert',
    'private_key',
    'accessKey',
    'api-key',
    'key',
    'configVars',
    'signature',
    'passphrase',
    'pwd',
    'config_vars',
    'command',
    'token',
    'password',
    'email',
  ])('are hidden anywhere in a field named %s', (name) => {
    const planted = { [name]: 'planted', deeper: [{ [name]: { even: ['planted'] } }] }
    expect(redactPayload(payloadOf('app-create', { data: planted, more: planted }), { showActor: true })).not.toContain(
      'planted',
    )
  })
})

describe('a stored event', () => {
  test.each(examples)('makes the same message as the posted one: $name', ({ payload }) => {
    for (const showActor of [true, false]) {
      const options = { showActor, mentionRole: null }
      const stored = parsed(JSON.parse(redactPayload(payload, { showActor })))
      expect(messageOf(stored, options)).toEqual(messageOf(parsed(payload), options))
    }
  })

  test('whose actor was hidden does not show the actor later', () => {
    const stored = parsed(JSON.parse(redactPayload(payloadOf('build-failed'), { showActor: false })))
    expect(stored.actor).toBeNull()
  })

  test('takes limited work, whatever was posted, and keeps the fields that Heroku documents', () => {
    let looked = 0
    const item = () => ({
      get stone() {
        looked += 1
        return 'granite'
      },
    })
    const fields = Object.fromEntries(Array.from({ length: 25_000 }, (_, n) => [`eve${n}@planted.example`, item()]))
    const stored = redactPayload({ ...fields, action: 'create' }, { showActor: false })
    expect(looked).toBeLessThan(15_000)
    expect(JSON.parse(stored).action).toBe('create')
    const list = Array.from({ length: 100_000 }, item)
    looked = 0
    redactPayload({ data: list }, { showActor: false })
    expect(looked).toBeLessThan(50_000)
  })

  test('does not change the posted event', () => {
    for (const { payload } of examples) {
      const before = structuredClone(payload)
      redactPayload(payload, { showActor: false })
      expect(payload).toEqual(before)
    }
  })

  test('keeps fields whose names are secret under a hidden name', () => {
    const posted = { id: 'e-1', resource: 'pebble', 'eve@planted.example': { of: ['granite'] }, size: 3 }
    const stored = { id: 'e-1', resource: 'pebble', '[hidden]': { of: ['granite'] }, size: 3 }
    expect(JSON.parse(redactPayload(posted, { showActor: false }))).toEqual(stored)
  })

  test('keeps everything that is not secret', () => {
    const payload = { id: 'e-1', resource: 'pebble', data: { size: 3, dry: true, none: null, of: ['granite', 1.5] } }
    expect(JSON.parse(redactPayload(payload, { showActor: true }))).toEqual(payload)
  })

  test('that is too big keeps its id, status and actor', () => {
    const rubble = Array.from({ length: 5_000 }, (_, index) => ({ stone: `stone ${index}` }))
    const { data } = eventOf('release-failed')
    const payload = { rubble, ...payloadOf('release-failed', { data: { rubble, text: 'x'.repeat(50_000), ...data } }) }
    const text = redactPayload(payload, { showActor: true })
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(mostStored)
    const event = parsed(JSON.parse(text))
    expect(event).toMatchObject({ id: eventOf('release-failed').id, status: 'failed', actor: { email: actors[0] } })
  })

  test('is still an event after thousands of unknown fields', () => {
    const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, index]))
    const posted = payloadOf('release-failed')
    const payload = { ...fields, ...posted, data: { ...fields, ...Object(posted.data) } }
    const stored = parsed(JSON.parse(redactPayload(payload, { showActor: true })))
    expect(stored).toMatchObject({
      id: posted.id,
      entity: 'api:release',
      status: 'failed',
      app: { name: 'lantern-api' },
    })
  })

  // Searching again from each backslash would block the server for minutes.
  test('is redacted quickly, even if it is one long row of backslashes', () => {
    const payload = { id: 'e-1', resource: 'pebble', data: { text: '\\'.repeat(130_000) } }
    expect(redactPayload(payload, { showActor: false })).toContain('…')
  }, 20_000)

  test('is at most 20 KB of JSON, whatever was posted', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\u0000', '€', '\ud800').map((one) => one.repeat(30_000)),
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 5 }, text, fc.double(), tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 20 }),
      object: fc.dictionary(text, tie('value'), { maxKeys: 20 }),
    }))
    fc.assert(
      fc.property(value, fc.boolean(), (data, showActor) => {
        const stored = redactPayload(payloadOf('app-create', { data, more: data }), { showActor })
        expect(Buffer.byteLength(stored)).toBeLessThanOrEqual(mostStored)
        expect(parsed(JSON.parse(stored)).id).toBe(eventOf('app-create').id)
      }),
      { numRuns: 50 },
    )
  })

  test('may have been nested 100,000 levels deep', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    expect(redactPayload(payloadOf('app-create', { data: { deep }, deep }), { showActor: true })).toContain(
      '[left out]',
    )
    expect(redactPayload(deep, { showActor: false })).toContain('[left out]')
  })
})
