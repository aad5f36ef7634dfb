import { describe, expect, test } from 'vitest'
import { eventOf, parsed, payloadOf, withData } from '../../../../test/support/scenes/relay/example-events.ts'
import type { HerokuEvent } from '../event/event.ts'
import { examples } from '../event/examples.ts'
import { colors } from './card.ts'
import { headlineOf, messageOf, plainTextOf } from './message.ts'

const options = { showActor: false, mentionRole: null }
const role = '123456789012345678'

function embedOf(event: HerokuEvent, settings = options) {
  const embed = messageOf(event, settings).embeds?.[0]
  if (!embed) throw new Error('no embed')
  return embed
}

const toneOf = (color: number) => Object.entries(colors).find(([, other]) => other === color)?.[0]
const factsOf = (event: HerokuEvent) => embedOf(event).fields?.map(({ name, value }) => `${name} ${value}`)

/** The content of an embed on one line. */
function textOf(event: HerokuEvent): string {
  const { title, color, description } = embedOf(event)
  return [`${toneOf(color)} ${title}`, description, ...(factsOf(event) ?? [])].filter(Boolean).join(' | ')
}

const commit = '[`5d2f0c9`](https://github.com/lantern/lantern-api/commit/5d2f0c9ab1e47736c8d0f4215e9b83a7c06d4f12)'
const lit = 'Light the lamp before the \\*fog\\* comes in'

const expected: Record<string, string> = {
  'build-pending': `busy 🔨 lantern-api: build started | ${lit} | Commit ${commit} | Stack heroku-24`,
  'build-succeeded': `good 📦 lantern-api: build succeeded | ${lit} | Commit ${commit} | Release v42 | Took 3 min 12 s | Stack heroku-24`,
  'build-failed': 'bad ❌ lantern-api: build failed | Took 48 s | Stack heroku-24',
  'release-pending': 'busy ⏳ lantern-api: v42 is pending | Deploy 5d2f0c9a | Commit `5d2f0c9`',
  'release-succeeded': 'good 🚀 lantern-api: v42 released | Deploy 5d2f0c9a | Commit `5d2f0c9` | Took 42 s',
  'release-failed': 'bad ❌ lantern-api: v43 failed | Deploy 8e10b7d4 | Commit `8e10b7d` | Took 1 h 4 min',
  'release-rollback': 'good ⏪ lantern-api: v44 released, back to v42 | Rollback to v42 | Commit `5d2f0c9`',
  'release-settings': 'good 🚀 lantern-api: v45 released | Set config vars',
  'dyno-starting': 'busy 🟡 lantern-api: web.1 is starting | Release v42 | Size Standard-1X',
  'dyno-up': 'good 🟢 lantern-api: web.1 is up | Release v42 | Size Standard-1X',
  'dyno-crashed': 'bad 💥 lantern-api: web.1 crashed | Exit status 137 (killed) | Release v42 | Size Standard-1X',
  'dyno-down': 'gone ⚪ lantern-api: run.7301 stopped | Exit status 0 | Release v42 | Size Basic',
  'api-dyno-create': 'good 🟢 lantern-api: run.7301 is up | Release v42 | Size Basic',
  'formation-update': 'quiet 📐 lantern-api: worker scaled from 1 to 3 | Dynos 1 → 3 | Size Standard-1X',
  'formation-resize': 'quiet 📐 lantern-api: worker resized | Dynos 3 | Size Standard-1X → Standard-2X',
  'formation-destroy': 'gone 📐 lantern-api: worker removed from the formation | Dynos 0 | Size Standard-1X',
  'app-create': 'good ✨ lantern-api: app created | Region eu | Stack heroku-24',
  'app-maintenance': 'busy 🚧 lantern-api: maintenance mode on | Region eu | Stack heroku-24',
  'app-renamed': 'quiet ✏️ lantern-api: app renamed | Name old\\_lantern → lantern-api | Region eu | Stack heroku-24',
  'app-destroy': 'gone 🗑️ lantern-api: app deleted | Region eu | Stack heroku-24',
  'addon-create':
    'busy ⏳ lantern-api: add-on is being set up | postgres-brass-40417 | Service postgres | Plan postgres:standard-0 | Status provisioning',
  'addon-update':
    'quiet 🧩 lantern-api: add-on updated | postgres-brass-40417 | Service postgres | Plan postgres:standard-0 → postgres:standard-2 | Status provisioned',
  'addon-destroy':
    'gone 🧩 lantern-api: add-on removed | postgres-brass-40417 | Service postgres | Plan postgres:standard-2',
  'addon-attachment-create': 'quiet 🔗 lantern-api: add-on attached | postgres-brass-40417 | As DATABASE',
  'addon-attachment-destroy': 'gone 🔗 lantern-api: add-on detached | postgres-brass-40417 | As DATABASE',
  'collaborator-create': 'quiet 👥 lantern-api: collaborator added | Role member',
  'collaborator-update': 'quiet 👥 lantern-api: collaborator changed | Role member → admin',
  'collaborator-destroy': 'gone 👥 lantern-api: collaborator removed | Role admin',
  'domain-create':
    'quiet 🌐 lantern-api: domain added | api.lantern.example | DNS target brass-fog-1.dns.example | Kind custom | Status pending',
  'domain-failed':
    'bad ❌ lantern-api: domain failed | api.lantern.example | DNS target brass-fog-1.dns.example | Kind custom',
  'domain-destroy':
    'gone 🌐 lantern-api: domain removed | api.lantern.example | DNS target brass-fog-1.dns.example | Kind custom',
  'sni-endpoint-create': 'quiet 🔒 lantern-api: certificate added | Endpoint tokyo-30180',
  'ssl-endpoint-update':
    'quiet 🔒 lantern-api: certificate updated | Endpoint tokyo-30180 | DNS target tokyo-30180.ssl.example',
  'unknown-resource': 'quiet 🔔 lantern-api: log drain added | Name drain-of-brass',
}

describe('the message', () => {
  test.each(examples)('of $name describes the event', ({ name, payload }) => {
    expect(textOf(parsed(payload))).toBe(expected[name])
  })

  test('of an app transfer names no person', () => {
    const [before, now] = ['a', 'b'].map((id) => ({
      owner: { id, email: `${id}@herokumanager.com` },
      team: { name: id },
    }))
    const { data } = eventOf('app-renamed')
    const payload = payloadOf('app-renamed', { data: { ...data, ...now }, previous_data: before })
    expect(textOf(parsed(payload))).toBe(
      'quiet 🤝 lantern-api: app transferred | Region eu | Stack heroku-24 | Team a → b',
    )
  })

  test('links to the app, and shows the time, entity and action', () => {
    expect(messageOf(eventOf('release-succeeded'), options)).toMatchObject({
      username: 'Heroku',
      embeds: [
        {
          url: 'https://dashboard.heroku.com/apps/lantern-api',
          timestamp: '2026-03-14T09:23:57.904Z',
          footer: { text: 'api:release · update' },
        },
      ],
      allowed_mentions: { parse: [] },
    })
  })

  test('omits the link, the time and the app if the event has none', () => {
    const bare = parsed({ id: 'e-1', resource: 'release' })
    expect(messageOf(bare, { showActor: true, mentionRole: role })).toEqual({
      username: 'Heroku',
      embeds: [
        { title: '🚀 new version released', color: colors.good, fields: [], footer: { text: 'api:release · unknown' } },
      ],
      allowed_mentions: { parse: [] },
    })
    expect(embedOf(eventOf('app-create', { app: { name: '../evil' } }))).not.toHaveProperty('url')
  })

  test('of a deleted app has no link', () => {
    expect(embedOf(eventOf('app-destroy'))).not.toHaveProperty('url')
    expect(embedOf(eventOf('dyno-down'))).toHaveProperty('url')
  })

  test('shows the actor only if that is enabled and the actor is known', () => {
    const by = (name: string, showActor: boolean) =>
      embedOf(eventOf(name), { ...options, showActor }).fields?.find((field) => field.name === 'By')?.value
    expect(by('build-failed', true)).toBe('ada@lantern.example')
    expect(by('build-failed', false)).toBeUndefined()
    expect(by('dyno-crashed', true)).toBeUndefined()
  })

  test('links a commit only if its page is known', () => {
    const source = (source_blob: object) => factsOf(withData('build-succeeded', { slug: null, source_blob }))?.[0]
    const version = '5d2f0c9ab1e47736c8d0f4215e9b83a7c06d4f12'
    expect(source({ version, url: 'https://sources.example/a.tgz' })).toBe('Commit `5d2f0c9`')
    expect(source({ version: 'tag [1](x)', url: 'https://codeload.github.com/a/b' })).toBe('Commit tag \\[1\\](x)')
    expect(source({ version, url: `https://codeload.github.com/a/b/legacy.tar.gz/${version}0` })).toBe(
      'Commit `5d2f0c9`',
    )
    expect(source({ version, url: `https://codeload.github.com/a/b)/legacy.tar.gz/${version}` })).toBe(
      'Commit `5d2f0c9`',
    )
  })

  test('of a removed dyno shows whether it crashed or stopped', () => {
    expect(embedOf(eventOf('dyno-crashed', { action: 'destroy' })).title).toContain('web.1 crashed')
    expect(embedOf(eventOf('dyno-up', { action: 'destroy' })).title).toContain('web.1 stopped')
  })

  test('shows unknown states and actions', () => {
    expect(embedOf(eventOf('dyno-up', { status: 'thawing' })).title).toBe('⚙️ lantern-api: web.1 is thawing')
    expect(embedOf(eventOf('unknown-resource', { action: 'polish' })).title).toBe('🔔 lantern-api: log drain changed')
    expect(embedOf(eventOf('build-failed', { status: 'paused' })).title).toBe('🔨 lantern-api: build changed')
    expect(embedOf(eventOf('release-failed', { status: 'paused' })).title).toBe('🚀 lantern-api: v43 changed')
  })
})

describe('a role', () => {
  test('is mentioned for failures only', () => {
    const calls = examples.filter(({ payload }) => {
      const { content, allowed_mentions } = messageOf(parsed(payload), { ...options, mentionRole: role })
      expect(allowed_mentions).toEqual(content ? { parse: [], roles: [role] } : { parse: [] })
      expect(content).toBe(content && `<@&${role}>`)
      return content
    })
    expect(calls.map(({ name }) => name)).toEqual(['build-failed', 'release-failed', 'dyno-crashed', 'domain-failed'])
  })
})

describe('a text of an event', () => {
  const description = (text: string) => embedOf(withData('release-succeeded', { description: text })).description

  test.each([
    ['**bold** _it_ ~~no~~ ||spoiler||', '\\*\\*bold\\*\\* \\_it\\_ \\~\\~no\\~\\~ \\|\\|spoiler\\|\\|'],
    ['`code` [link](https://a.example)', '\\`code\\` \\[link\\](https://a.example)'],
    ['# head', '\\# head'],
    ['- item', '\\- item'],
    ['1. item', '1\\. item'],
    ['> quote', '\\> quote'],
    ['back\\slash', 'back\\\\slash'],
    ['one\ntwo\r\n\tthree', 'one two three'],
    ['@everyone and @HERE', '@\u200beveryone and @\u200bHERE'],
    ['<@123> <@&456> <#7> <:a:8>', '\\<@\u200b123\\> \\<@\u200b&456\\> \\<#7\\> \\<:a:8\\>'],
    ['a\u0000b\u202ec', 'a b c'],
    ['half \ud83d', 'half \ufffd'],
    ...['https://github.com/example_org/my_repo/pull/12', 'https://host.example/~user/a*b*c'].map((url) => [url, url]),
    ['*see* https://en.wikipedia.org/wiki/Foo_(bar)_*', '\\*see\\* https://en.wikipedia.org/wiki/Foo_(bar)_*'],
    ['https://a.example/b_|_c_ http://:_x_', 'https://a.example/b_\\|\\_c\\_ http://:\\_x\\_'],
  ])('%o is shown literally', (text = '', safe) => {
    expect(description(text)).toBe(safe)
  })

  test('is shortened', () => {
    expect(description('x'.repeat(10_000))).toMatch(/^x{499}…$/)
  })

  test('is omitted if it is blank', () => {
    expect(description(' \n\t ')).toBeUndefined()
  })
})

describe('plain text', () => {
  test('has the same content as the embed', () => {
    const message = messageOf(eventOf('dyno-crashed'), { ...options, mentionRole: role })
    expect(plainTextOf(message)).toEqual({
      username: 'Heroku',
      content: [
        `<@&${role}>`,
        '**💥 lantern-api: web.1 crashed**',
        'Exit status: 137 (killed)',
        'Release: v42',
        'Size: Standard-1X',
        '<https://dashboard.heroku.com/apps/lantern-api>',
      ].join('\n'),
      allowed_mentions: { parse: [], roles: [role] },
    })
  })
})

test('the headline is the title in plain text', () => {
  expect(headlineOf(eventOf('release-failed'))).toBe('lantern-api: v43 failed')
  const odd = eventOf('dyno-crashed')
  expect(headlineOf({ ...odd, app: { ...odd.app, name: 'the *lamp* of @everyone' } })).toBe(
    'the *lamp* of @everyone: web.1 crashed',
  )
})
