import { describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { type Answer, supabaseProject } from '../../../../test/support/fakes/fake-sleepers.ts'
import {
  actScene,
  appAnswering,
  key,
  path,
  supabase,
  unknownAnswerNote,
} from '../../../../test/support/scenes/act-scene.ts'
import { days, hours, minutes, seconds } from '../../../shared/time.ts'

describe.each(dialects)('projects on Supabase, on %s', async (dialect) => {
  const { box, ada, unknownHosts, serve, pass, create, read } = await actScene(dialect)

  test('a project is queried in several ways, several times a day', async () => {
    const project = supabaseProject(box.now)
    const { port, requests } = await serve(project)
    const { id, ...created } = await create(supabase(port, { rpc: 'touch' }))
    expect(created).toMatchObject({ kept: 'supabase', every: 240, supabase: { key: '••••fake', table: 'todos' } })
    expect(new Set(requests.map(({ method, path }) => `${method} ${path}`)).size).toBe(4)
    for (let turn = 0; turn < 48; turn++) await pass(hours(4))
    expect(project.state()).toBe('awake')
    const entry = await read(id)
    expect(entry).toMatchObject({ awake: 'awake', lastRun: { success: true, status: 200 } })
    expect(new Set(requests.map(({ path }) => path)).size).toBeGreaterThan(40)
  })

  test('the key is encrypted, masked, kept under its mask, and cleared for another origin or owner', async () => {
    const { port } = await serve(supabaseProject(box.now))
    const { id } = await create({ ...supabase(port), status: false })
    const { settings } = await box.db.q.selectFrom('entry').select('settings').executeTakeFirstOrThrow()
    expect(settings).not.toContain(key)
    expect((await ada.get(`${path}/list`)).body[0].supabase).toEqual({ key: '••••fake', table: 'todos' })
    const patch = (body: object) => ada.patch(path, { id, ...body })
    const patched = await patch({ supabase: { key: '••••fake', table: 'notes' } })
    expect(patched.body).toMatchObject({ kept: 'supabase', supabase: { key: '••••fake', table: 'notes' } })
    const wrong = await patch({ supabase: { key: '••••abcd', table: 'notes' } })
    expect(wrong.body.fields).toEqual({ supabase: 'Enter the key in full.' })
    expect((await patch(await read(id))).body.kept).toBe('supabase')
    const moved = await patch({ url: `http://other.supabase.co:${port}/` })
    expect(moved.body).toMatchObject({ kept: 'request', supabase: { key: '', table: 'notes' } })
    expect(moved.body.warning).toContain('publishable key')
    await patch({ supabase: { key, table: 'notes' } })
    const admin = box.as(await box.createPerson(`tools-${dialect}`, 2))
    const bob = await box.createPerson(`bob-${dialect}`)
    const handedOver = await admin.patch(path, { id, owner: bob.email })
    expect(handedOver.body).toMatchObject({ kept: 'request', supabase: { key: '' } })
    const exported = await box.as(bob).get('/api/v1/user/export')
    expect(exported.body.entries).toMatchObject([{ keep: 'auto', supabase: { table: 'notes' } }])
  })

  test('without a key, an entry stays a plain request, with a warning', async () => {
    const { port, requests } = await serve(appAnswering({ status: 200, body: 'hello' }))
    const created = await create({ url: `http://abcdefgh.supabase.co:${port}/`, keep: 'auto' })
    expect(created).toMatchObject({ keep: 'auto', kept: 'request', every: 28, awake: null })
    expect(created.warning).toContain('publishable key')
    expect(requests).toMatchObject([{ method: 'GET', path: '/' }])
    const advice = async (url: string) => (await ada.post(`${path}/advice`, { url })).body.keep
    const hosts = ['https://a.supabase.co', 'https://a.streamlit.app', 'https://a.pythonanywhere.com', 'https://a.org']
    expect(await Promise.all(hosts.map(advice))).toEqual(['supabase', 'streamlit', 'person', 'request'])
  })

  const html = { 'content-type': 'text/html' }
  const pausedNote = 'paused: restore it at https://supabase.com/dashboard/project/abcdefgh until 05/01/2027'

  test.each<[string, Answer, string, string | null]>([
    ['refuses the key', { status: 401, body: '{}' }, 'Supabase refused the key (answered 401)', null],
    [
      'is restricted',
      { status: 402 },
      'restricted: the project used up its quota, or bills are unpaid (answered 402)',
      null,
    ],
    ['lacks the table', { status: 404, body: '{}' }, 'the table todos does not exist (answered 404)', null],
    ['times out', { status: 544 }, 'answered 544', null],
    ['answers with a page', { status: 200, headers: html, body: 'Hi' }, unknownAnswerNote('Supabase'), null],
    ['answers without JSON', { status: 200, body: 'Hi' }, unknownAnswerNote('Supabase'), null],
    [
      'shows the page of a paused project',
      { status: 200, headers: html, body: 'This project is paused.' },
      pausedNote,
      'paused',
    ],
    ['is paused', { status: 540 }, pausedNote, 'paused'],
  ])('a project that %s fails immediately, with the reason', async (_, answer, note, awake) => {
    const { port, requests } = await serve(appAnswering(answer))
    const { id } = await create(supabase(port))
    const { history, awake: actual } = await read(id)
    expect([history[0].success, history[0].note.replace(/\d\d\/\d\d\/2027$/, '05/01/2027'), actual]).toEqual([
      false,
      note,
      awake,
    ])
    expect(requests).toHaveLength(1)
    // The failure is checked once more, without further retries.
    await pass(minutes(1))
    await pass(minutes(30))
    expect(requests).toHaveLength(2)
  })

  test('a host name that stops resolving means a paused project; one that never resolved is not found', async () => {
    const project = supabaseProject(box.now)
    const { port } = await serve(project)
    unknownHosts.add('abcdefgh.supabase.co')
    const { id } = await create(supabase(port))
    expect(await read(id)).toMatchObject({ awake: null, history: [{ note: 'dns: no such host' }] })
    unknownHosts.clear()
    await pass(minutes(1))
    expect(await read(id)).toMatchObject({ awake: 'awake' })
    unknownHosts.add('abcdefgh.supabase.co')
    await pass(hours(4))
    await pass(seconds(10))
    const { awake, lastRun } = await read(id)
    expect([awake, lastRun.note]).toEqual(['paused', expect.stringMatching(/^paused: restore it at .*abcdefgh until/)])
    await pass(days(366))
    await pass(seconds(10))
    expect((await read(id)).awake).toBe('gone')
    unknownHosts.clear()
    project.restore()
    await pass(hours(4))
    expect((await read(id)).awake).toBe('awake')
  })

  test('the state of the app is shown next to up and down, wherever the entry is shown', async () => {
    const project = supabaseProject(box.now)
    const { port } = await serve(project)
    const { id } = await create({ ...supabase(port), name: 'Shop', notifyAfter: 1 })
    await ada.put('/api/v1/user/status', { slug: 'ada-acts', title: 'Ada', entries: [{ tool: 'keepalive', id }] })
    const readStates = async () => {
      box.pass(minutes(1))
      const entry = await read(id)
      const badge = (await ada.get(new URL(entry.badge).pathname.replace('.svg', '.json'))).body.message
      const json = (await ada.get('/status/ada-acts.json')).body.entries[0].awake
      const page = (await box.app.inject('/status/ada-acts')).body
      return [entry.awake, badge, json, /<p class="(?:up|down)">(?:<svg.*?<\/svg>)?([^<]*)</.exec(page)?.[1]]
    }
    expect(await readStates()).toEqual(['awake', 'up, awake', 'awake', 'Operational · awake'])
    const awakeAt = (await read(id)).lastRun.timestamp
    project.pause()
    await pass(hours(4))
    await pass(minutes(1))
    expect(await readStates()).toEqual(['paused', 'down, paused by its host', 'paused', 'Down · paused by its host'])
    const { restorableUntil, place } = await read(id)
    expect(place).toBe('https://supabase.com/dashboard/project/abcdefgh')
    expect(Math.abs(restorableUntil - awakeAt - days(365))).toBeLessThan(minutes(1))
    const incidents = (await ada.get('/api/v1/incidents?open=true')).body
    expect(incidents).toMatchObject([{ entry: id, awake: 'paused' }])
    expect((await ada.get(`${path}/recent`)).body.rows).toMatchObject([{ id, awake: 'paused' }])
    await ada.patch(path, { id, keep: 'request' })
    expect(await read(id)).toMatchObject({ awake: null, restorableUntil: null })
  })
})
