import { describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { type Answer, streamlitApp } from '../../../../test/support/fakes/fake-sleepers.ts'
import {
  actScene,
  appAnswering,
  path,
  streamlit,
  unknownAnswerNote,
} from '../../../../test/support/scenes/act-scene.ts'
import { hours, minutes, seconds } from '../../../shared/time.ts'
import type { ActState, Turn } from './act.ts'
import { keepStreamlit } from './streamlit.ts'

type Ran = { awake: string; lastRun: { success: boolean } }

describe.each(dialects)('apps on Streamlit, on %s', async (dialect) => {
  const { box, ada, restart, makeVisitsLong, serve, pass, create, read } = await actScene(dialect)

  test('an app is visited every 6 hours, and stays awake', async () => {
    const app = streamlitApp(box.now)
    const { port, sessions } = await serve(app)
    const { id, ...created } = await create(streamlit(port))
    expect(created).toMatchObject({ keep: 'auto', kept: 'streamlit', every: 360, awake: null })
    for (let turn = 0; turn < 4; turn++) await pass(hours(6))
    expect(app.state()).toBe('awake')
    expect(sessions).toEqual({ opened: 5, closed: 5 })
    const entry = await read(id)
    expect(entry).toMatchObject({ awake: 'awake', foundAsleep: { count: 0, lastAt: null } })
    expect(entry.history).toHaveLength(5)
    expect(entry.history.every(({ success }: { success: boolean }) => success)).toBe(true)
    expect((await ada.get(`${path}/list`)).body).toMatchObject([{ id, awake: 'awake', kept: 'streamlit' }])
  })

  test('a sleeping app is woken in steps of one turn, which another instance can continue', async () => {
    const app = streamlitApp(box.now, { wakesIn: seconds(40) })
    app.sleep()
    const { port, requests } = await serve(app)
    const { id } = await create(streamlit(port))
    const foundAt = box.now()
    expect(await read(id)).toMatchObject({ awake: 'waking', history: [], foundAsleep: { count: 1 } })
    await pass(seconds(15))
    // The server is killed during a step.
    await box.context.jobs.claim(box.now() + seconds(15), 0, 5)
    restart()
    for (let step = 0; step < 3; step++) await pass(seconds(15))
    const entry = await read(id)
    expect(entry).toMatchObject({ awake: 'awake', foundAsleep: { count: 1 } })
    expect(entry.foundAsleep.lastAt).toBeLessThanOrEqual(foundAt)
    expect(entry.history).toMatchObject([
      { success: true, note: expect.stringMatching(/^was asleep, awake again after \d\d s$/) },
    ])
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  test('an app that does not wake up fails after 20 minutes, and not before', async () => {
    const app = streamlitApp(box.now, { wakesIn: hours(1) })
    app.sleep()
    const { port } = await serve(app)
    const { id } = await create(streamlit(port))
    for (let waited = 0; waited < minutes(19); waited += seconds(15)) await pass(seconds(15))
    expect(await read(id)).toMatchObject({ awake: 'waking', history: [] })
    for (let step = 0; step < 4; step++) await pass(seconds(15))
    expect((await read(id)).history).toMatchObject([{ success: false, note: 'still starting after 20 minutes' }])
  })

  const status = (code: number, headers: Record<string, string> = {}): Answer => ({
    status: 200,
    headers,
    body: JSON.stringify({ status: code }),
  })
  const toSignIn = { location: 'https://share.streamlit.io/-/auth/app?redirect_uri=x' }

  test.each<[string, Answer, string]>([
    ['private', { status: 303, headers: toSignIn }, 'answered 303: the app is private and requires signing in'],
    ['with another page', { status: 200, body: '<div id="root"></div>' }, unknownAnswerNote('Streamlit')],
    ['with a status of another kind', { status: 200, body: '{"status":"running"}' }, unknownAnswerNote('Streamlit')],
    ['without a token', status(12), unknownAnswerNote('Streamlit')],
    ['gone', { status: 404 }, unknownAnswerNote('Streamlit')],
    ['unavailable', { status: 503 }, 'answered 503'],
  ])('an app that is %s fails, with the reason', async (_, answer, note) => {
    const { port, requests } = await serve(appAnswering(answer))
    const { id } = await create(streamlit(port))
    expect((await read(id)).history).toMatchObject([{ success: false, note }])
    expect(requests).toHaveLength(1)
  })

  test('a session that is refused or closed early does not count as a visit', async () => {
    const app = streamlitApp(box.now)
    const refusing = await serve({ ...app, session: () => undefined })
    const one = await create(streamlit(refusing.port))
    const note = 'awake, but the visit failed: http: answered 403 instead of a WebSocket'
    expect(await read(one.id)).toMatchObject({ awake: 'awake', history: [{ success: false, note }] })
    box.pass(seconds(2))
    makeVisitsLong()
    const closing = await serve(app, { onSession: (socket) => socket.close(1001) })
    const other = await create(streamlit(closing.port))
    const early = 'awake, but the visit failed: http: the WebSocket was closed early'
    expect((await read(other.id)).history).toMatchObject([{ success: false, note: early }])
  })

  test('a run fails if the app is asleep after the visit', async () => {
    const app = streamlitApp(box.now)
    const { port } = await serve(app, {
      opened() {
        box.pass(seconds(15))
        app.sleep()
      },
    })
    const { id } = await create(streamlit(port))
    expect(await read(id)).toMatchObject({
      awake: 'asleep',
      history: [{ success: false, note: 'fell asleep meanwhile' }],
    })
  })

  test('a session ends even if the server never closes it, or floods it', async () => {
    const app = streamlitApp(box.now)
    const silent = await serve(app, { onSession: (socket) => socket.pause() })
    const one = await create(streamlit(silent.port))
    expect(await read(one.id)).toMatchObject({ history: [{ success: true }] })
    box.pass(seconds(2))
    const megabyte = Buffer.alloc(1_000_000)
    const flooding = await serve(app, {
      onSession: (socket) => {
        for (let frame = 0; frame < 10; frame++) socket.send(megabyte)
      },
    })
    const other = await create(streamlit(flooding.port))
    expect((await read(other.id)).history).toHaveLength(1)
  })

  test('fifty apps of one owner on one host all have their turns', async () => {
    const { port, sessions } = await serve(streamlitApp(box.now))
    for (let n = 0; n < 50; n++)
      await ada.post(`${path}/`, { url: `http://app-${n}.streamlit.app:${port}/`, keep: 'auto' })
    const ran = async () => (await ada.get(`${path}/list`)).body.filter(({ lastRun }: { lastRun: unknown }) => lastRun)
    for (let round = 0; round < 100 && (await ran()).length < 50; round++) await pass(seconds(15))
    const done = await ran()
    expect(done).toHaveLength(50)
    expect(done.every(({ awake, lastRun }: Ran) => awake === 'awake' && lastRun.success)).toBe(true)
    expect(sessions.opened).toBe(sessions.closed)
  })
})

test('a step that must wait for a free request slot keeps the state of waking', async () => {
  const busy = { answered: false, failure: 'timeout', note: 'busy', duration: 0, wait: 400 } as const
  const state: ActState = {
    awake: 'waking',
    memory: { wakingSince: 1_000, askedAt: 16_000, wokenAt: 1_000, wasAsleep: true },
  }
  const turn = { state, now: 31_000, ask: async () => busy } as unknown as Turn
  expect(await keepStreamlit(turn)).toEqual({ ...state, outcome: { retryIn: 400, crowded: true } })
  const asleep: ActState = { awake: 'asleep', memory: {} }
  expect(await keepStreamlit({ ...turn, state: asleep })).toMatchObject(asleep)
})
