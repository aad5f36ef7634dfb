import { afterEach, describe, expect, test } from 'vitest'
import { channelScene } from '../../../../test/support/scenes/channel-scene.ts'
import { quote } from '../../../platform/notice.ts'
import { minutes, seconds } from '../../../shared/time.ts'
import { breakLinks, messageOf, type StoredChange } from '../message.ts'
import { channelTypes } from './index.ts'

const box = await channelScene('sqlite')
const nasty = '<@&1> @everyone *x* & [a](http://b) <!channel>'

afterEach(() => {
  expect(box.services.faults).toEqual([])
  expect(box.discord.faults).toEqual([])
})

/** Settings of each type that point to its fake service. */
const services = {
  discord: () => ({ url: box.discord.webhook().url }),
  slack: () => box.services.slack(),
  ntfy: () => box.services.ntfy('tk_secretsecret'),
  telegram: () => box.services.telegram(),
  webhook: () => box.services.webhook(() => secret),
} as const
let secret = ''

async function tellBy(type: keyof typeof services, ...names: string[]) {
  const { id, settings } = await box.channel(type, services[type]())
  secret = settings.secret ?? ''
  await box.fail(...names)
  await box.wait(seconds(10))
  return id
}

test('Discord gets an embed without mentions', async () => {
  await tellBy('discord', nasty)
  const [{ message } = {}] = box.discord.posted
  expect(message?.allowed_mentions).toEqual({ parse: [] })
  const [{ title, description, url } = {}] = message?.embeds ?? []
  expect(title).toBe(
    '\\<\\@\u200b&1\\> \\@\u200beveryone \\*x\\* & \\[a\\]\\(http:\u200b//b\\) \\<!channel\\> is failing',
  )
  expect(description).toBe('Since 5 Jan 2026, 14:00 UTC\nCause: answered 503'.replaceAll('-', '\\-'))
  expect(url).toBe(
    'http://localhost:3000/tools/keepalive/modify?id=id%20of%20%3C%40%261%3E%20%40everyone%20*x*%20%26%20%5Ba%5D(http%3A%2F%2Fb)%20%3C!channel%3E',
  )
})

test('Slack gets text without control sequences', async () => {
  await tellBy('slack', nasty)
  const text = String(box.services.received[0]?.body.text)
  expect(text).toContain(
    '&lt;@\u200b&amp;1&gt; @\u200beveryone *x* &amp; [a](http:\u200b//b) &lt;!channel&gt; is failing\n',
  )
  expect(text).toContain('\nCause: answered 503\nhttp://localhost:3000/tools/keepalive/modify?id=')
})

test('ntfy gets the title, link, priority, tags and token', async () => {
  await tellBy('ntfy', 'Shop')
  expect(box.services.received[0]).toMatchObject({
    headers: { authorization: 'Bearer tk_secretsecret' },
    body: {
      topic: 'alerts',
      title: 'Shop is failing',
      message: expect.stringContaining('Cause: answered 503'),
      priority: 4,
      tags: ['rotating_light'],
      click: 'http://localhost:3000/tools/keepalive/modify?id=id%20of%20Shop',
    },
  })
})

test('Telegram gets text without markup', async () => {
  await tellBy('telegram', nasty)
  const { body } = box.services.received[0]!
  expect(body).toMatchObject({ chat_id: '-1001234567890', text: expect.stringContaining(breakLinks(nasty)) })
  expect(body).not.toHaveProperty('parse_mode')
})

test('a webhook gets signed JSON', async () => {
  await tellBy('webhook', 'Shop')
  const { headers, body } = box.services.received[0]!
  expect(headers['webhook-id']).toMatch(/^msg_[0-9a-f]{32}$/)
  expect(Number(headers['webhook-timestamp'])).toBe(Math.floor(box.now() / 1_000))
  expect(body).toEqual({
    type: 'entry.failing',
    timestamp: new Date(box.now() - seconds(10)).toISOString(),
    data: {
      entries: [
        {
          id: 'id of Shop',
          tool: 'keepalive',
          name: 'Shop',
          url: 'https://Shop.example.com/',
          since: box.now() - seconds(10),
          cause: 'answered 503',
        },
      ],
      count: 1,
    },
  })
})

test.each(Object.keys(services) as (keyof typeof services)[])('%s accepts a message of any length', async (type) => {
  await tellBy(type, ...Array.from({ length: 12 }, (_, n) => `${n} ${'é<&_'.repeat(2_000)}`))
  expect(box.discord.posted.length + box.services.received.length).toBe(1)
})

const discordAnswers = { limited: { limited: { retryAfter: 12.4 } }, gone: 'unknown', broken: 'broken' } as const

/** Sends a message to a service that answers like this, and returns the error that the user sees. */
async function answered(type: keyof typeof services, answer: 'limited' | 'gone' | 'broken') {
  const settings = services[type]()
  const { id, settings: created } = await box.channel(type, settings)
  secret = created.secret ?? ''
  const hook = { id: created.url?.split('/').at(-2) ?? '', token: '', url: '' }
  if (type === 'discord') box.discord.answers(hook, discordAnswers[answer])
  box.services.answers(type, answer)
  await box.fail('Shop')
  await box.wait(seconds(10))
  const { lastError } = await box.read(id)
  if (type === 'discord') box.discord.answers(hook, 'ok')
  box.services.answers(type, 'ok')
  return { lastError, taken: () => box.discord.posted.length + box.services.received.length }
}

test.each([
  ['discord', 'answered 429: You are being rate limited.', seconds(13)],
  ['slack', 'answered 429: rate_limited', seconds(30)],
  ['ntfy', 'answered 429: limit reached: too many requests, please be nice', minutes(1)],
  ['telegram', 'answered 429: Too Many Requests: retry after 35', seconds(35)],
  ['webhook', 'answered 429', minutes(2)],
] as const)('retries %s at the time that it states', async (type, lastError, wait) => {
  const result = await answered(type, 'limited')
  expect(result.lastError).toBe(lastError)
  await box.wait(wait - 1)
  expect(result.taken()).toBe(0)
  await box.wait(1)
  expect(result.taken()).toBe(1)
})

test.each([
  ['discord', 'answered 404: Unknown Webhook'],
  ['slack', 'answered 404: no_service'],
  ['ntfy', 'answered 403: forbidden'],
  ['telegram', 'answered 403: Forbidden: bot was kicked from the group chat'],
  ['webhook', 'answered 410: gone'],
] as const)('holds a message that %s refuses, and shows the error', async (type, lastError) => {
  const result = await answered(type, 'gone')
  expect(result.lastError).toBe(lastError)
  await box.wait(minutes(59))
  expect(result.taken()).toBe(0)
  await box.wait(minutes(1))
  expect(result.taken()).toBe(1)
})

test.each([
  ['discord', 'answered 500: 500: Internal Server Error'],
  ['slack', 'answered 500: rollup_error'],
  ['ntfy', 'answered 507: cannot send PUT request, server storage limit reached'],
  ['telegram', 'answered 502'],
  ['webhook', 'answered 503: try later'],
] as const)('retries a message within seconds after a temporary failure of %s', async (type, lastError) => {
  const result = await answered(type, 'broken')
  expect(result.lastError).toBe(lastError)
  await box.wait(seconds(5))
  expect(result.taken()).toBe(1)
})

test('follows a Telegram group that has become a supergroup', async () => {
  const { token } = box.services.telegram()
  const { id } = await box.channel('telegram', { token, chat: '-4001' })
  const description = 'Bad Request: group chat was upgraded to a supergroup chat'
  const parameters = { migrate_to_chat_id: -1_001_234_567_890 }
  const body = JSON.stringify({ ok: false, error_code: 400, description, parameters })
  box.services.answers('telegram', { status: 400, body }, 'ok')
  await box.fail('Shop')
  await box.wait(seconds(10))
  await box.wait(seconds(5))
  expect(box.services.received).toMatchObject([{ body: { chat_id: '-1001234567890' } }])
  expect(await box.read(id)).toMatchObject({ settings: { chat: '-1001234567890' }, lastError: null })
  // If the service repeats this for the new id, the channel isn't moved again.
  box.services.answers('telegram', { status: 400, body })
  await box.fail('Shop')
  await box.wait(minutes(1))
  expect(await box.read(id)).toMatchObject({ lastError: `answered 400: ${description}` })
})

test("a message waits while Discord's firewall blocks this server, not the webhook", async () => {
  const settings = services.discord()
  const { id } = await box.channel('discord', settings)
  const hook = { id: settings.url.split('/').at(-2)!, token: '', url: '' }
  box.discord.answers(hook, { odd: { status: 403, body: 'error code: 1010' } }, 'ok')
  await box.fail('Shop')
  await box.wait(seconds(10))
  expect((await box.read(id)).lastError).toBe('answered 403: error code: 1010')
  await box.wait(minutes(10) - 1)
  expect(box.discord.posted).toEqual([])
  await box.wait(1)
  expect(box.discord.posted).toHaveLength(1)
})

test('resends a mail after a 4xx code, and holds it after a 5xx code', async () => {
  const id = await box.confirmedEmail()
  box.smtp.setRecipientReply('451 4.7.1 Greylisted')
  await box.fail('Shop')
  await box.wait(seconds(10))
  expect(await box.read(id)).toMatchObject({ lastError: 'the mail server answered 451 4.7.1 Greylisted' })
  box.smtp.setRecipientReply('550 5.1.1 No such user')
  await box.wait(seconds(5))
  expect(await box.read(id)).toMatchObject({ lastError: 'the mail server answered 550 5.1.1 No such user' })
  box.smtp.setRecipientReply('250 OK')
  await box.wait(minutes(59))
  expect(box.smtp.mails).toEqual([])
  await box.wait(minutes(1))
  expect(box.smtp.mails).toHaveLength(1)
})

test('hides secrets in the answer of a service', async () => {
  const { token, chat } = box.services.telegram()
  const { id } = await box.channel('telegram', { token, chat })
  box.services.answers('telegram', { status: 400, body: `no bot ${token}\n at /bot${token}/sendMessage` })
  await box.fail('Shop')
  await box.wait(seconds(10))
  expect((await box.read(id)).lastError).not.toContain('ABC-DEF')
})

test('hides the query values of a secret URL in the answer of a service', async () => {
  const { url } = box.services.slack()
  const { id } = await box.channel('slack', { url: `${url}?key=QUERYSECRET&more=OTHERSECRET` })
  box.services.answers('slack', { status: 400, body: 'no key QUERYSECRET or OTHERSECRET' })
  await box.fail('Shop')
  await box.wait(seconds(10))
  expect((await box.read(id)).lastError).toBe('answered 400: no key [hidden] or [hidden]')
})

test("accepts a topic's URL with its scheme in capitals", async () => {
  const { url } = box.services.ntfy()
  await box.channel('ntfy', { url: String(url).replace('http:', 'HTTP:') })
  await box.fail('Shop')
  await box.wait(seconds(10))
  expect(box.services.received[0]).toMatchObject({ body: { topic: 'alerts' } })
})

/** Settings of each type, and the part of a request that its readers see. */
type Body = Partial<Record<'text' | 'title' | 'message', string>> & {
  embeds?: { title: string; description: string }[]
}
const readers: Record<string, [settings: object, readText: (body: Body) => string | undefined]> = {
  email: [{ to: 'ada@home.example' }, ({ text }) => text],
  discord: [
    { url: `https://discord.com/api/webhooks/123456789012345678/${'a'.repeat(68)}` },
    ({ embeds }) => embeds?.map(({ title, description }) => `${title}\n${description}`).join(),
  ],
  slack: [{ url: 'https://hooks.example/1' }, ({ text }) => text],
  telegram: [{ token: '123456:ABC-DEF', chat: '1' }, ({ text }) => text],
  ntfy: [{ url: 'https://ntfy.example/topic' }, ({ title, message }) => `${title}\n${message}`],
}
const links =
  /https?:\/\/\S+|mailto:\p{L}+|[\p{L}\p{N}-]\.[\p{L}\p{N}]+|[\p{L}\p{N}]@[\p{L}\p{N}]+|(?<![\p{L}\p{N}/])[@#/$][\p{L}\p{N}]+/gu
const bait =
  'Confirm at https://evil.example/a?b=1, www.evil.example, 192.0.2.7:80/x, <https://evil.example|here>, [here](http://evil.example), mailto:eve@evil.example, @everyone, #now or /start. \n”*Now* _now_ ~now~ `now`: ToolBox'

describe.each(channelTypes.map((type) => [type.id, type] as const))('a message by %s', (id, type) => {
  const [settings, readText] = readers[id] ?? [{ url: 'https://hooks.example/1', secret: `whsec_${'A'.repeat(32)}` }]
  const sent = (kind: 'failing' | 'account' | 'operator', changes: StoredChange[]) => {
    const config = { ...box.context.config, baseUrl: 'https://box.example' }
    const message = messageOf(
      { id: 'm', kind, at: 0, changes, count: changes.length },
      { baseUrl: config.baseUrl, zone: 'UTC' },
    )
    const request = type.send({ ...settings }, message, { config, at: 0 })
    if ('mail' in request) return request.mail
    const { body } = request.call
    return typeof body === 'string' ? JSON.parse(body) : body
  }
  const entry = { id: 'e', tool: 'keepalive', name: bait, about: bait, url: 'https://evil.example/' }

  test.each([
    ['account', [{ message: `${quote(bait)} asks for access: ${quote(bait)}`, access: true as const }]],
    ['operator', [{ message: `The channel ${quote(bait)} was switched off.` }, { message: 'Fine.' }]],
    ['failing', [{ entry, cause: bait, since: 0 }]],
    [
      'failing',
      [
        { entry, cause: bait },
        { entry: { ...entry, name: null }, cause: bait },
      ],
    ],
  ] as const)('untrusted text becomes neither a link nor formatting in a message of type %s', (kind, changes) => {
    const body = sent(kind, [...changes])
    if (!readText) {
      // Messages to programs stay unchanged.
      expect(body.data.messages ?? body.data.entries.map(({ name }: { name: string | null }) => name)).toEqual(
        changes.map((one) => ('message' in one ? one.message : one.entry.name)),
      )
      return
    }
    const text = String(readText(body))
    const own = kind === 'account' ? 'https://box.example/admin/users' : /https:\/\/box\.example\/\S*/
    expect(text.replace(own, '').match(links)).toBeNull()
    expect(text.replaceAll('\u200b', '')).toContain('ToolBox')
    if (id === 'discord') expect(text.match(/(?<!\\)[*_~`|<>[\]()]/g)).toBeNull()
    if (id === 'slack') expect([body.mrkdwn, text.match(/[<>]/g)]).toEqual([false, null])
    for (const markup of ['parse_mode', 'markdown', 'html']) expect(body).not.toHaveProperty(markup)
  })
})

test('removes control characters and direction marks from messages', () => {
  const odd = 'a\nb\u202ec\0d\u2066e'
  const entry = { id: 'e', tool: 'keepalive', name: null, about: odd, url: 'https://a.example/' }
  for (const changes of [
    [{ entry, cause: odd }],
    [
      { entry, cause: odd },
      { message: odd, entry },
    ],
  ]) {
    const facts = { id: 'm', kind: 'failing' as const, at: 0, changes, count: changes.length }
    const { title, lines } = messageOf(facts, { baseUrl: 'https://box.example', zone: 'UTC' })
    for (const line of [title, ...lines]) expect(line).not.toMatch(/\p{Cc}|[\u202e\u2066]/u)
  }
  expect(quote(odd)).toBe('“a b c d e”')
})

test('keeps quoted text on one line and within its quotes', () => {
  expect(quote('Ada” asks.\n\n“Hello')).toBe('“Ada" asks. "Hello”')
  expect(breakLinks('Since 5 Jan 2026, 14:00 UTC: 1,000 entries, 1/2 done.')).toBe(
    'Since 5 Jan 2026, 14:00 UTC: 1,000 entries, 1/2 done.',
  )
})

test('an offer for several entries links to the page of one, where the user accepts it for all', () => {
  const changes = ['one', 'two'].map((id) => ({
    entry: { id, tool: 'keepalive', name: null, about: `${id}.streamlit.app`, url: 'http://a' },
    cause: 'press the button on its page',
  }))
  const facts = { id: 'm', kind: 'offer', at: 0, changes, count: 2 } as const
  const { title, link } = messageOf(facts, { baseUrl: 'http://t', zone: 'UTC' })
  expect(title).toBe('2 entries need more than requests to stay awake')
  expect(link).toBe('http://t/tools/keepalive/modify?id=one')
})
