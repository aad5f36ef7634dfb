import { afterEach, beforeEach, expect } from 'vitest'
import { hours, type Milliseconds, minutes, seconds } from '../../../src/shared/time.ts'
import type { Dialect } from '../database/databases.ts'
import { type Answer, serveSleeper } from '../fakes/fake-sleepers.ts'
import { redirectPublicAddresses } from '../public-addresses.ts'
import { closeAfterwards, type Toolbox, toolbox } from '../toolbox.ts'

export const path = '/api/v1/keepalive'
export const key = 'sb_publishable_fake'
export const unknownAnswerNote = (host: string) =>
  `${host} answered in a way that ToolBox does not know (facts of November 2026)`
export const appAnswering = (answer: Answer) => ({ answer: () => answer })
export const streamlit = (port: number) => ({ url: `http://demo.streamlit.app:${port}/`, keep: 'auto' })
export const supabase = (port: number, more: object = {}) => ({
  url: `http://abcdefgh.supabase.co:${port}/`,
  keep: 'auto',
  supabase: { key, table: 'todos', ...more },
})

/** For tests of apps that need more than a request: a server, Ada, and fake hosts. Each test starts without entries. */
export async function actScene(dialect: Dialect) {
  redirectPublicAddresses()
  let work: Toolbox['work']
  const unknownHosts = new Set<string>()
  const closings: (() => Promise<unknown>)[] = []

  const resolve = async (host: string) => {
    if (unknownHosts.has(host)) throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' })
    return ['8.8.8.8']
  }
  const box = closeAfterwards(await toolbox(dialect, { KEEPALIVE_TIMEOUT: '5s' }, undefined, { resolve }))
  const adaUser = await box.createPerson('ada')
  const ada = box.as(adaUser)
  /** A visit lasts 15 s by the test's clock, but only this long in real time. */
  const shortVisit: Milliseconds = 20
  let visitTime = shortVisit
  beforeEach(async () => {
    await box.db.q.deleteFrom('entry').execute()
    visitTime = shortVisit
    work = worker()
  })
  afterEach(async () => {
    unknownHosts.clear()
    for (const close of closings.splice(0)) await close()
  })

  const worker = () => {
    const { outbound } = box.context
    const hold: typeof outbound.hold = (url, options) => outbound.hold(url, { ...options, time: visitTime })
    return box.secondWorker({ outbound: { ...outbound, hold } })
  }
  return {
    ...{ unknownHosts, box, ada, adaUser },
    runDue: () => work.runDue(),
    /** For a visit that the server ends: however slow the machine is, its time must not be up before. */
    makeVisitsLong() {
      visitTime = minutes(1)
    },
    /** Replaces the worker, as after a kill. */
    restart() {
      work = worker()
    },
    async serve(...[app, hooks]: Parameters<typeof serveSleeper>) {
      // An address may be visited twice a second.
      const defaults: typeof hooks = { onRequest: () => box.pass(500), opened: () => box.pass(seconds(15)) }
      const served = await serveSleeper(app, { ...defaults, ...hooks })
      closings.push(served.close)
      return served
    },
    async pass(ms: number) {
      box.pass(ms)
      // Keeps Ada's session fresh, which would otherwise expire.
      const at = box.db.timestamp(box.now())
      if (ms >= hours(1)) await box.db.q.updateTable('sessions').set({ created_at: at, updated_at: at }).execute()
      await work.runDue()
    },
    async create(body: object) {
      const answer = await ada.post(`${path}/`, body)
      expect(answer.status).toBe(201)
      await work.runDue()
      return answer.body
    },
    read: async (id: string) => (await ada.get(`${path}?id=${id}`)).body,
    fieldsOf: async (body: object) => (await ada.post(`${path}/`, body)).body.fields,
  }
}
