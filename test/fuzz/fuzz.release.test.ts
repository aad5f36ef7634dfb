import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bothDialects } from '../support/database/databases.ts'
import { type FakeDiscord, fakeDiscord } from '../support/fakes/fake-discord.ts'
import { type FakeGithub, fakeGithub } from '../support/fakes/fake-github.ts'
import { createPerson, createSignedInPerson, headersOf, injectOnce } from '../support/people.ts'
import { type Toolbox, toolbox } from '../support/toolbox.ts'
import { type FuzzAnswer, fuzz } from './fuzz.ts'
import { operationsIn } from './operations.ts'
import { endsSession, type FuzzRequest } from './requests.ts'
import { times } from './values.ts'

/** Each round gets new callers, since some sign out or delete themselves. */
const rounds = 4
const requestsOfRound = 250

type Headers = Record<string, string>

describe.each(bothDialects)('on %s', (dialect) => {
  let box: Toolbox
  let discord: FakeDiscord
  let github: FakeGithub
  beforeAll(async () => {
    discord = await fakeDiscord()
    github = await fakeGithub()
    box = await toolbox(dialect, { ...discord.env, ...github.env })
  })
  afterAll(async () => {
    await box.close()
    await discord.close()
    await github.close()
  })

  async function callersOfRound() {
    const { screen } = await createSignedInPerson(box)
    const chief = await createSignedInPerson(box, { roles: { Admin: 2, Tools: 2 } })
    const post = async (url: string, body: object) => (await screen.post(url, body)).body
    const { key } = await post('/api/v1/user/apikeys', { name: 'key', scopes: ['read', 'write'], expiresAt: null })
    const victim = await createPerson(box.context, { username: `v-${randomUUID().slice(0, 8)}` })
    const page = github.page(`/owner/${randomUUID()}`, [])
    const { url: discordHook } = discord.webhook()
    const entries = [
      await post('/api/v1/keepalive', { url: 'http://127.0.0.1:9/', status: false }),
      await post('/api/v1/ghmdinvalidator', { url: page, status: false }),
      await post('/api/v1/herokudiscordwebhook', { discordHook, status: false }),
    ]
    const knownValues = {
      id: [...entries.map(({ id }) => id), victim.id],
      email: [victim.email],
      username: [victim.username!],
      owner: [victim.email],
      url: ['http://127.0.0.1:9/', page],
      discordHook: [discordHook],
      tag: ['fuzz'],
      token: entries.flatMap(({ hookUrl = '', herokuEndpoint = '' }) =>
        `${hookUrl}${herokuEndpoint}`.split('/').slice(-1),
      ),
      zone: ['UTC', 'Europe/Berlin'],
      ...times,
    }
    const callers = {
      visitor: {},
      user: headersOf(screen.jar),
      chief: headersOf(chief.screen.jar),
      key: { authorization: `Bearer ${key}` },
    } satisfies Record<string, Headers>
    return { callers, knownValues }
  }

  const send = ({ operation, url, type, body }: FuzzRequest, headers: Headers): Promise<FuzzAnswer> =>
    injectOnce(box.app, {
      method: operation.method as 'POST',
      url,
      headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
      ...(body ? { payload: body } : {}),
    })

  test('responses to requests generated from the API description conform to it, and none is a 5xx', {
    timeout: 600_000,
  }, async () => {
    const operations = operationsIn((await box.app.inject('/api/v1/openapi.json')).json())
    const statuses = new Map<number, number>()
    const callNames = new Set<string>()
    for (let round = 0; round < rounds; round += 1) {
      const { callers, knownValues } = await callersOfRound()
      await fuzz({
        operations,
        callers: Object.keys(callers) as (keyof typeof callers)[],
        knownValues,
        send: (request) => send(request, endsSession(request) ? {} : callers[request.who]),
        count: requestsOfRound,
        seed: 2026 + round,
        onAnswer({ operation: { method, path } }, { status }) {
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          callNames.add(`${method} ${path}`)
        },
      })
    }
    const summary = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`)
    console.info(
      `${rounds * requestsOfRound} requests to ${callNames.size} of ${operations.length} calls: ${summary.join(', ')}`,
    )
    expect(callNames.size).toBe(operations.length)
    // Requests that all fail validation or authorization would test nothing behind it.
    expect(statuses.get(200)).toBeGreaterThan(100)
  })
})
