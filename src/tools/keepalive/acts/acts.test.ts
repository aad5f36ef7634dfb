import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import {
  type Answer,
  serveSleeper,
  streamlitApp,
  supabaseProject,
} from '../../../../test/support/fakes/fake-sleepers.ts'
import { publicAddressesLeadHere } from '../../../../test/support/public-addresses.ts'
import { type Toolbox, toolbox } from '../../../../test/support/toolbox.ts'
import { dayOf, days, hours, minutes, seconds } from '../../../shared/time.ts'
import { offerActs } from './state.ts'

publicAddressesLeadHere()

const path = '/api/v1/keepalive'
const key = 'sb_publishable_fake'
type Ran = { awake: string; lastRun: { success: boolean } }
const jwt = (role: string) => `${btoa('{"alg":"HS256"}')}.${btoa(JSON.stringify({ role }))}.signature`

describe.each(dialects)('apps that need more than a request, on %s', (dialect) => {
  let box: Toolbox
  let work: Toolbox['work']
  let adaUser: Awaited<ReturnType<Toolbox['person']>>
  let ada: ReturnType<Toolbox['as']>
  const gone = new Set<string>()
  const closings: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    const resolve = async (host: string) => {
      if (gone.has(host)) throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' })
      return ['8.8.8.8']
    }
    box = await toolbox(dialect, { KEEPALIVE_TIMEOUT: '5s' }, undefined, { resolve })
    adaUser = await box.person('ada')
    ada = box.as(adaUser)
  })
  afterAll(() => box.close())
  beforeEach(async () => {
    await box.db.q.deleteFrom('entry').execute()
    work = worker()
  })
  afterEach(async () => {
    gone.clear()
    for (const close of closings.splice(0)) await close()
  })

  /** A visit lasts 15 s by the clock of the test, and a moment by that of the machine. */
  const worker = () => {
    const { outbound } = box.context
    const hold: typeof outbound.hold = (url, options) => outbound.hold(url, { ...options, time: 20 })
    return box.secondWorker({ outbound: { ...outbound, hold } })
  }
  const serve = async (...[app, hooks]: Parameters<typeof serveSleeper>) => {
    // An address has two visits a second.
    const usual = { asked: () => box.pass(500), opened: () => box.pass(seconds(15)) }
    const served = await serveSleeper(app, { ...usual, ...hooks })
    closings.push(served.close)
    return served
  }
  const pass = async (ms: number) => {
    box.pass(ms)
    // Nobody who stays signed in is away for so long.
    const at = box.db.timestamp(box.now())
    if (ms >= hours(1)) await box.db.q.updateTable('sessions').set({ created_at: at, updated_at: at }).execute()
    await work.runDue()
  }
  const create = async (body: object) => {
    const answer = await ada.post(`${path}/`, body)
    expect(answer.status).toBe(201)
    await work.runDue()
    return answer.body
  }
  const read = async (id: string) => (await ada.get(`${path}?id=${id}`)).body
  const fieldsOf = async (body: object) => (await ada.post(`${path}/`, body)).body.fields
  const streamlit = (port: number) => ({ url: `http://demo.streamlit.app:${port}/`, keep: 'auto' })
  const supabase = (port: number, more: object = {}) => ({
    url: `http://abcdefgh.supabase.co:${port}/`,
    keep: 'auto',
    supabase: { key, table: 'todos', ...more },
  })
  /** An app whose every answer is this. */
  const answering = (answer: Answer) => ({ answer: () => answer })

  test('a Streamlit app is visited every 6 hours, and stays awake', async () => {
    const app = streamlitApp(box.now)
    const { port, sessions } = await serve(app)
    const { id, ...made } = await create(streamlit(port))
    expect(made).toMatchObject({ keep: 'auto', kept: 'streamlit', every: 360, awake: null })
    for (let turn = 0; turn < 4; turn++) await pass(hours(6))
    expect(app.state()).toBe('awake')
    expect(sessions).toEqual({ opened: 5, closed: 5 })
    const entry = await read(id)
    expect(entry).toMatchObject({ awake: 'awake', foundAsleep: { count: 0, lastAt: null } })
    expect(entry.history).toHaveLength(5)
    expect(entry.history.every(({ success }: { success: boolean }) => success)).toBe(true)
    expect((await ada.get(`${path}/list`)).body).toMatchObject([{ id, awake: 'awake', kept: 'streamlit' }])
  })

  test('a sleeping one is woken in steps of one turn, which another instance goes on with', async () => {
    const app = streamlitApp(box.now, { wakesIn: seconds(40) })
    app.sleep()
    const { port, asked } = await serve(app)
    const { id } = await create(streamlit(port))
    const foundAt = box.now()
    expect(await read(id)).toMatchObject({ awake: 'waking', history: [], foundAsleep: { count: 1 } })
    await pass(seconds(15))
    // The server is killed within a step.
    await box.context.jobs.claim(box.now() + seconds(15), 0, 5)
    work = worker()
    for (let step = 0; step < 3; step++) await pass(seconds(15))
    const entry = await read(id)
    expect(entry).toMatchObject({ awake: 'awake', foundAsleep: { count: 1 } })
    expect(entry.foundAsleep.lastAt).toBeLessThanOrEqual(foundAt)
    expect(entry.history).toMatchObject([
      { success: true, note: expect.stringMatching(/^was asleep, awake again after \d\d s$/) },
    ])
    expect(asked.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  test('one that does not wake up fails after 20 minutes, and not before', async () => {
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
  const unknown = (host: string) => `${host} answered in a way that ToolBox does not know (facts of November 2026)`
  const toSignIn = { location: 'https://share.streamlit.io/-/auth/app?redirect_uri=x' }

  test.each<[string, Answer, string]>([
    ['private', { status: 303, headers: toSignIn }, 'answered 303: the app is private, since it asks to sign in'],
    ['with another page', { status: 200, body: '<div id="root"></div>' }, unknown('Streamlit')],
    ['with a status of another kind', { status: 200, body: '{"status":"running"}' }, unknown('Streamlit')],
    ['without a token', status(12), unknown('Streamlit')],
    ['gone', { status: 404 }, unknown('Streamlit')],
    ['in trouble', { status: 503 }, 'answered 503'],
  ])('a Streamlit app that is %s fails and says why', async (_, answer, note) => {
    const { port, asked } = await serve(answering(answer))
    const { id } = await create(streamlit(port))
    expect((await read(id)).history).toMatchObject([{ success: false, note }])
    expect(asked).toHaveLength(1)
  })

  test('a session that is refused or closed early is no visit', async () => {
    const app = streamlitApp(box.now)
    const refusing = await serve({ ...app, session: () => undefined })
    const one = await create(streamlit(refusing.port))
    const note = 'awake, but the visit failed: http: answered 403 instead of a WebSocket'
    expect(await read(one.id)).toMatchObject({ awake: 'awake', history: [{ success: false, note }] })
    box.pass(seconds(2))
    const closing = await serve(app, { onSession: (socket) => socket.close(1001) })
    const other = await create(streamlit(closing.port))
    const early = 'awake, but the visit failed: http: the WebSocket was closed early'
    expect((await read(other.id)).history).toMatchObject([{ success: false, note: early }])
  })

  test('an app that is asleep after the visit is no success', async () => {
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

  test('a Supabase project is queried in several ways, several times a day', async () => {
    const project = supabaseProject(box.now)
    const { port, asked } = await serve(project)
    const { id, ...made } = await create(supabase(port, { rpc: 'touch' }))
    expect(made).toMatchObject({ kept: 'supabase', every: 240, supabase: { key: '••••fake', table: 'todos' } })
    expect(new Set(asked.map(({ method, path }) => `${method} ${path}`)).size).toBe(4)
    for (let turn = 0; turn < 48; turn++) await pass(hours(4))
    expect(project.state()).toBe('awake')
    const entry = await read(id)
    expect(entry).toMatchObject({ awake: 'awake', lastRun: { success: true, status: 200 } })
    expect(new Set(asked.map(({ path }) => path)).size).toBeGreaterThan(40)
  })

  test('its key is sealed, masked, kept under its mask, and cleared for another origin or owner', async () => {
    const { port } = await serve(supabaseProject(box.now))
    const { id } = await create({ ...supabase(port), status: false })
    const { settings } = await box.db.q.selectFrom('entry').select('settings').executeTakeFirstOrThrow()
    expect(settings).not.toContain(key)
    expect((await ada.get(`${path}/list`)).body[0].supabase).toEqual({ key: '••••fake', table: 'todos' })
    const patch = (body: object) => ada.patch(path, { id, ...body })
    const kept = await patch({ supabase: { key: '••••fake', table: 'notes' } })
    expect(kept.body).toMatchObject({ kept: 'supabase', supabase: { key: '••••fake', table: 'notes' } })
    const wrong = await patch({ supabase: { key: '••••abcd', table: 'notes' } })
    expect(wrong.body.fields).toEqual({ supabase: 'Enter the key in full.' })
    expect((await patch(await read(id))).body.kept).toBe('supabase')
    const moved = await patch({ url: `http://other.supabase.co:${port}/` })
    expect(moved.body).toMatchObject({ kept: 'request', supabase: { key: '', table: 'notes' } })
    expect(moved.body.warning).toContain('publishable key')
    await patch({ supabase: { key, table: 'notes' } })
    const admin = box.as(await box.person(`tools-${dialect}`, 2))
    const bob = await box.person(`bob-${dialect}`)
    const given = await admin.patch(path, { id, owner: bob.email })
    expect(given.body).toMatchObject({ kept: 'request', supabase: { key: '' } })
    const exported = await box.as(bob).get('/api/v1/user/export')
    expect(exported.body.entries).toMatchObject([{ keep: 'auto', supabase: { table: 'notes' } }])
  })

  test('what must not be set is refused', async () => {
    const url = 'http://abcdefgh.supabase.co/'
    const withKey = (secret: string, table: unknown = 'todos') => fieldsOf({ url, supabase: { key: secret, table } })
    for (const secret of ['sb_secret_abc', jwt('service_role')])
      expect(Object.values(await withKey(secret))).toEqual([expect.stringContaining('secret key')])
    expect(await fieldsOf({ url, status: false, supabase: { key: jwt('anon'), table: 'todos' } })).toBeUndefined()
    for (const table of ['', '../auth', 'a/b', 'a?b', null])
      expect(Object.values(await withKey(key, table)), String(table)).toHaveLength(1)
    expect(await fieldsOf({ url, keep: 'often' })).toHaveProperty('keep')
    const app = 'http://demo.streamlit.app/'
    expect(await fieldsOf({ url: app, keep: 'auto', interval: 29 })).toHaveProperty('interval')
    expect(await fieldsOf({ url: app, keep: 'request', interval: 29, status: false })).toBeUndefined()
    expect((await ada.post(`${path}/`, { url: app, keep: 'streamlit', interval: 30 })).body).toMatchObject({
      every: 30,
    })
    expect(await fieldsOf({ url, keep: 'person' })).toHaveProperty('due')
    expect(await fieldsOf({ url, keep: 'person', due: '2026-02-30' })).toHaveProperty('due')
  })

  test('without a key a project stays a request, with advice', async () => {
    const { port, asked } = await serve(answering({ status: 200, body: 'hello' }))
    const made = await create({ url: `http://abcdefgh.supabase.co:${port}/`, keep: 'auto' })
    expect(made).toMatchObject({ keep: 'auto', kept: 'request', every: 28, awake: null })
    expect(made.warning).toContain('publishable key')
    expect(asked).toMatchObject([{ method: 'GET', path: '/' }])
    const advice = async (url: string) => (await ada.post(`${path}/advice`, { url })).body.keep
    const hosts = ['https://a.supabase.co', 'https://a.streamlit.app', 'https://a.pythonanywhere.com', 'https://a.org']
    expect(await Promise.all(hosts.map(advice))).toEqual(['supabase', 'streamlit', 'person', 'request'])
  })

  test.each<[string, Answer, string, string | null]>([
    ['refuses the key', { status: 401, body: '{}' }, 'Supabase refused the key (answered 401)', null],
    [
      'is restricted',
      { status: 402 },
      'restricted: the project used up its quota, or bills are open (answered 402)',
      null,
    ],
    ['lacks the table', { status: 404, body: '{}' }, 'the table todos does not exist (answered 404)', null],
    ['times out', { status: 544 }, 'answered 544', null],
    [
      'answers with a page',
      { status: 200, headers: { 'content-type': 'text/html' }, body: 'Hi' },
      unknown('Supabase'),
      null,
    ],
    ['answers without JSON', { status: 200, body: 'Hi' }, unknown('Supabase'), null],
    [
      'shows the page of a paused project',
      { status: 200, headers: { 'content-type': 'text/html' }, body: 'This project is paused.' },
      'paused: restore it at https://supabase.com/dashboard/project/abcdefgh until 05/01/2027',
      'paused',
    ],
    [
      'is paused',
      { status: 540 },
      'paused: restore it at https://supabase.com/dashboard/project/abcdefgh until 05/01/2027',
      'paused',
    ],
  ])('a project that %s fails at once and says so', async (_, answer, note, awake) => {
    const { port, asked } = await serve(answering(answer))
    const { id } = await create(supabase(port))
    const { history, awake: seen } = await read(id)
    expect([history[0].success, history[0].note.replace(/\d\d\/\d\d\/2027$/, '05/01/2027'), seen]).toEqual([
      false,
      note,
      awake,
    ])
    expect(asked).toHaveLength(1)
    // Looked at once more, and then left alone.
    await pass(minutes(1))
    await pass(minutes(30))
    expect(asked).toHaveLength(2)
  })

  test('a name that stops resolving is a paused project, and one that never did is not found', async () => {
    const project = supabaseProject(box.now)
    const { port } = await serve(project)
    gone.add('abcdefgh.supabase.co')
    const { id } = await create(supabase(port))
    expect(await read(id)).toMatchObject({ awake: null, history: [{ note: 'dns: no such host' }] })
    gone.clear()
    await pass(minutes(1))
    expect(await read(id)).toMatchObject({ awake: 'awake' })
    gone.add('abcdefgh.supabase.co')
    await pass(hours(4))
    await pass(seconds(10))
    const { awake, lastRun } = await read(id)
    expect([awake, lastRun.note]).toEqual(['paused', expect.stringMatching(/^paused: restore it at .*abcdefgh until/)])
    await pass(days(366))
    await pass(seconds(10))
    expect((await read(id)).awake).toBe('gone')
    gone.clear()
    project.restore()
    await pass(hours(4))
    expect((await read(id)).awake).toBe('awake')
  })

  test('what a turn saw stands next to up and down, wherever an entry is shown', async () => {
    const project = supabaseProject(box.now)
    const { port } = await serve(project)
    const { id } = await create({ ...supabase(port), name: 'Shop', notifyAfter: 1 })
    await ada.put('/api/v1/user/status', { slug: 'ada-acts', title: 'Ada', entries: [{ tool: 'keepalive', id }] })
    const shown = async () => {
      box.pass(minutes(1))
      const entry = await read(id)
      const badge = (await ada.get(new URL(entry.badge).pathname.replace('.svg', '.json'))).body.message
      const json = (await ada.get('/status/ada-acts.json')).body.entries[0].awake
      const page = (await box.app.inject('/status/ada-acts')).body
      return [entry.awake, badge, json, /<p class="(?:up|down)">(?:<svg.*?<\/svg>)?([^<]*)</.exec(page)?.[1]]
    }
    expect(await shown()).toEqual(['awake', 'up, awake', 'awake', 'Operational · awake'])
    const awakeAt = (await read(id)).lastRun.timestamp
    project.pause()
    await pass(hours(4))
    await pass(minutes(1))
    expect(await shown()).toEqual(['paused', 'down, paused by its host', 'paused', 'Down · paused by its host'])
    const { restorableUntil, place } = await read(id)
    expect(place).toBe('https://supabase.com/dashboard/project/abcdefgh')
    expect(Math.abs(restorableUntil - awakeAt - days(365))).toBeLessThan(minutes(1))
    const incidents = (await ada.get('/api/v1/incidents?open=true')).body
    expect(incidents).toMatchObject([{ entry: id, awake: 'paused' }])
    expect((await ada.get(`${path}/recent`)).body.rows).toMatchObject([{ id, awake: 'paused' }])
    await ada.patch(path, { id, keep: 'request' })
    expect(await read(id)).toMatchObject({ awake: null, restorableUntil: null })
  })

  test('owners of entries of before are told once that a request is not enough', async () => {
    const made = async (url: string) => (await ada.post(`${path}/`, { url, interval: 1_440 })).body.id
    const ids = [await made('http://old.streamlit.app/'), await made('http://evil.test/?x=.streamlit.app/')]
    const other = await made('http://new.streamlit.app/')
    for (const id of ids) {
      const { settings } = await box.db.q
        .selectFrom('entry')
        .select('settings')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      const { keep, supabase, due, ...before } = JSON.parse(settings)
      await box.db.q
        .updateTable('entry')
        .set({ settings: JSON.stringify(before) })
        .where('id', '=', id)
        .execute()
    }
    for (let time = 0; time < 2; time++) await offerActs(box.context)
    const { items } = (await ada.get('/api/v1/user/inbox')).body
    const offers = items.filter(({ type }: { type: string }) => type === 'offer')
    expect(offers).toMatchObject([
      {
        message: expect.stringMatching(/^old\.streamlit\.app needs more than requests to stay awake \(/),
        entry: { tool: 'keepalive', id: ids[0] },
      },
    ])
    expect(await read(ids[0]!)).toMatchObject({ keep: 'request', kept: 'request' })
    // By one press.
    const { body } = await ada.patch(path, { id: ids[0], keep: 'auto', interval: 'auto' })
    expect(body).toMatchObject({ kept: 'streamlit', every: 360 })
    expect((await read(other)).kept).toBe('request')
  })

  test('a session that a server never closes ends, and so does one that floods', async () => {
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

  test('fifty apps of one owner on one host have their turns one after the other', async () => {
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

  test('the idle time of an unknown app is found out by runs that are further and further apart', async () => {
    let visitedAt = box.now()
    const hidden = minutes(21.5)
    const { port, asked } = await serve({
      answer() {
        const sleeps = box.now() - visitedAt > hidden
        visitedAt = box.now()
        return { status: sleeps ? 503 : 200 }
      },
    })
    const { id } = await create({ url: `http://app.test:${port}/`, interval: 60 })
    const sleep = async () => (await ada.get(`${path}/sleep?id=${id}`)).body
    expect(await sleep()).toMatchObject({ asleepAfter: null, suggestion: null, until: null })
    const began = await ada.post(`${path}/sleep?id=${id}`)
    expect(began).toMatchObject({ status: 202, body: { until: box.now() + days(1) } })
    await work.runDue()
    for (let minute = 0; minute < 600 && (await sleep()).until !== null; minute++) await pass(minutes(1))
    const { wakings, ...found } = await sleep()
    expect(found).toEqual({ asleepAfter: 22, awakeAfter: 21, suggestion: 21, until: null })
    expect(wakings).toBeLessThanOrEqual(8)
    expect(await read(id)).toMatchObject({ health: 'ok', interval: 60 })
    const before = asked.length
    await pass(minutes(59))
    expect(asked.length - before).toBeLessThanOrEqual(1)
    await ada.patch(path, { id, status: false })
    expect((await ada.post(`${path}/sleep?id=${id}`)).status).toBe(409)
  })

  test('a person hears a week before the date and on the day, and plans the next by one press', async () => {
    const url = 'http://ada.pythonanywhere.com/'
    const due = dayOf(box.now() + days(10))
    const { id, ...made } = await create({ url, keep: 'auto', due })
    const place = 'https://www.pythonanywhere.com/user/ada/webapps/'
    expect(made).toMatchObject({ kept: 'person', every: 1_440, place })
    const said = async () => {
      const { items } = (await ada.get('/api/v1/user/inbox')).body
      return items
        .filter(({ type }: { type: string }) => type === 'due')
        .map(({ message }: { message: string }) => message)
    }
    const at = 'at https://www.pythonanywhere.com/user/ada/webapps/'
    const counts: number[] = []
    for (let day = 0; day < 12; day++) {
      await pass(days(1))
      counts.push((await said()).length)
    }
    expect([counts.indexOf(1), counts.indexOf(2), counts.at(-1)]).toEqual([2, 9, 2])
    expect((await said())[0]).toContain(at)
    expect(await read(id)).toMatchObject({ history: [], awake: null })
    const done = await ada.post(`${path}/done?id=${id}`)
    expect(done).toMatchObject({ status: 200, body: { id } })
    expect(Date.parse(done.body.due) - box.now()).toBeGreaterThan(days(26))
    expect((await ada.post(`${path}/done?id=${id}`)).body).toEqual(done.body)
    await ada.post(`${path}/run?id=${id}`)
    await work.runDue()
    expect(await box.db.q.selectFrom('job').select('kind').where('entry_id', '=', id).execute()).toEqual([
      { kind: 'turn' },
    ])
    const other = await create({ url, status: false })
    expect((await ada.post(`${path}/done?id=${other.id}`)).status).toBe(409)
  })

  test('what is asked for while somebody edits or deletes the entry is done to what there is by then', async () => {
    const url = 'http://ada.pythonanywhere.com/'
    const { id } = await create({ url, keep: 'person', due: dayOf(box.now() + days(1)) })
    const [done] = await Promise.all([ada.post(`${path}/done?id=${id}`), ada.patch(path, { id, name: 'Shop' })])
    expect(await read(id)).toMatchObject({ name: 'Shop', due: done.body.due })
    const { port } = await serve({ answer: () => ({ status: 200 }) })
    for (let time = 0; time < 4; time++) {
      const gone = await create({ url: `http://app.test:${port}/` })
      const [asked] = await Promise.all([ada.post(`${path}/sleep?id=${gone.id}`), ada.delete(`${path}?id=${gone.id}`)])
      expect([202, 404]).toContain(asked.status)
    }
  })

  test('finding out an idle time keeps nobody from running the entry at once', async () => {
    const { port, asked } = await serve({ answer: () => ({ status: 200 }) })
    const { id } = await create({ url: `http://app.test:${port}/`, interval: 1_440 })
    await ada.post(`${path}/sleep?id=${id}`)
    await pass(seconds(1))
    const before = asked.length
    await ada.post(`${path}/run?id=${id}`)
    await pass(seconds(1))
    expect(asked.length - before).toBe(1)
    expect((await ada.get(`${path}/sleep?id=${id}`)).body.until).not.toBeNull()
  })
})
