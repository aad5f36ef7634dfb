import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { browser, createPerson, password, startSession } from '../../test/support/people.ts'
import { openEventStream } from '../../test/support/stream.ts'
import { closeAfterwards, toolbox } from '../../test/support/toolbox.ts'

describe.each(dialects)('a live stream on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))
  const url = await box.app.listen({ port: 0, host: '127.0.0.1' })

  async function twoBrowsers(details: Parameters<typeof createPerson>[1] = {}) {
    const person = await createPerson(box.context, details)
    const [first, second] = [
      await startSession(box.context, box.auth, person),
      await startSession(box.context, box.auth, person),
    ]
    const screens = [first, second].map(({ cookie }) => browser(box.app, '192.0.2.1', cookie)) as [Screen, Screen]
    for (const screen of screens) await screen.get('/api/v1/auth/session')
    const streams = await Promise.all(
      [first, second].map(({ cookie }) => openEventStream(url, { cookie: inHeader(cookie) })),
    )
    const [mine, other] = streams as [Stream, Stream]
    return { person, screens, sessions: [first, second] as const, mine, other }
  }
  type Screen = ReturnType<typeof browser>
  type Stream = Awaited<ReturnType<typeof openEventStream>>
  const inHeader = (cookie: Record<string, string>) =>
    Object.entries(cookie).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)[0]!

  /** Expects that both streams report the change, and only `ended` ends. */
  async function endsOnly(ended: Stream, stays: Stream) {
    await expect.poll(() => ended.received.ended).toBe(true)
    expect(ended.eventsOfType('access')).toEqual([null])
    await expect.poll(() => stays.eventsOfType('access')).toEqual([null])
    expect(stays.received.ended).toBe(false)
    await stays.close()
  }

  const change = { current: password, password: 'eleven purple violins' }
  test.each<[string, (mine: Screen, other: Screen, otherId: string) => Promise<{ status: number }>]>([
    ['it is ended in another browser', (mine, _other, id) => mine.delete(`/api/v1/user/sessions?id=${id}`)],
    ['all other sessions are ended', (mine) => mine.delete('/api/v1/user/sessions?others=true')],
    ['its browser signs out in another tab', (_mine, other) => other.post('/api/auth/sign-out', {})],
    ['the password is changed', (mine) => mine.patch('/api/v1/user/password', change)],
  ])('ends immediately when %s, and no other user’s does', async (_what, act) => {
    const { screens, sessions, mine, other } = await twoBrowsers({ username: `heard-${randomUUID()}` })
    const stranger = await twoBrowsers()
    expect((await act(...screens, sessions[1].id)).status).toBe(200)
    await endsOnly(other, mine)
    expect(stranger.mine.received.text).not.toContain('access')
    await stranger.mine.close()
    await stranger.other.close()
  })

  test('ends when its API key is deleted', async () => {
    const { screens, mine, other } = await twoBrowsers()
    const wish = { name: 'listener', scopes: ['read'], expiresAt: null }
    const { id, key } = (await screens[0].post('/api/v1/user/apikeys', wish)).body
    const program = await openEventStream(url, { authorization: `Bearer ${key}` })
    expect(program.answer.status).toBe(200)
    await screens[0].delete(`/api/v1/user/apikeys?id=${id}`)
    await endsOnly(program, mine)
    await other.close()
    expect((await openEventStream(url, { authorization: `Bearer ${key}` })).answer.status).toBe(401)
  })
})
