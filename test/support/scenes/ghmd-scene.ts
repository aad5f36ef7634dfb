import { beforeEach, expect } from 'vitest'
import { hours, minutes } from '../../../src/shared/time.ts'
import type { Dialect } from '../database/databases.ts'
import { fakeGithub } from '../fakes/fake-github.ts'
import { fakeWeb, type Reply } from '../fakes/fake-web.ts'
import { closeAfterwards, type Overrides, toolbox } from '../toolbox.ts'

export const base = '/api/v1/ghmdinvalidator'

/** ToolBox with a fake GitHub, and ada, who has pages there. */
export async function ghmdbox(dialect: Dialect, outside?: Overrides, env: Record<string, string> = {}) {
  const github = await fakeGithub()
  const box = await toolbox(dialect, { ...github.env, ...env }, undefined, outside)
  const person = await box.createPerson('ada')
  const ada = box.as(person)
  const { name, sign } = box.auth.cookie
  let serial = 0

  const create = async (url: string, more: object = {}) => {
    const answer = await ada.post(`${base}/`, { url, ...more })
    expect(answer).toMatchObject({ status: 201 })
    return answer.body as { id: string; hookUrl: string }
  }
  const read = async (id: string) => (await ada.get(`${base}?id=${id}`)).body

  return {
    github,
    box,
    ada,
    cookies: { cookie: `${name}=${encodeURIComponent(sign(person.token))}` },
    create,
    read,
    /** The images found by the last run that could read the page. */
    last: async (id: string) => (await ada.get(`${base}/images?id=${id}`)).body,
    origin: (name: string) => `https://img.example/${name}/${serial++}.svg`,
    path: () => `/owner/page${serial++}`,
    async firstRun(url: string) {
      const { id } = await create(url)
      await box.work.runDue()
      const entry = await read(id)
      expect(entry.history).toHaveLength(1)
      return { id, run: entry.history[0], entry }
    },
    runNow: async (id: string) => {
      expect((await ada.post(`${base}/run?id=${id}`)).status).toBe(202)
      await box.work.runDue()
    },
    async clear() {
      github.forget()
      await box.db.q.deleteFrom('entry').execute()
      await box.db.q.deleteFrom('purge').execute()
    },
    async close() {
      await box.close()
      await github.close()
    },
  }
}

export const svg = (text: string) => `<svg xmlns="http://www.w3.org/2000/svg"><text>${text}</text></svg>`
export const picture = (text: string, headers: Record<string, string> = {}) => ({
  headers: { 'content-type': 'image/svg+xml', ...headers },
  body: svg(text),
})

/** A house shared by the tests of a block. Each test starts without entries. */
export async function ghmdScene(...options: Parameters<typeof ghmdbox>) {
  const house = closeAfterwards(await ghmdbox(...options))
  beforeEach(() => house.clear())
  return house
}

/** A house whose pages show images of a server on loopback. */
export async function imagesScene(dialect: Dialect) {
  const house = await ghmdScene(dialect)
  const web = closeAfterwards(await fakeWeb())
  beforeEach(() => {
    web.visits.length = 0
    // Keeps news of two tests from being grouped.
    house.box.pass(minutes(1))
  })

  let serial = 0
  function origin(...replies: Reply[]): string {
    const path = `/image/${serial++}.svg`
    web.on(path, ...replies)
    return web.origin + path
  }
  const page = (images: readonly string[]) => house.github.page(house.path(), images)
  return {
    ...house,
    web,
    origin,
    change: (url: string, ...replies: Reply[]) => web.on(new URL(url).pathname, ...replies),
    page,
    /** Creates an entry that purges only stale images, and runs it once; returns its id. */
    async stale(images: readonly string[]) {
      const { id } = await house.create(page(images), { mode: 'stale' })
      await house.box.work.runDue()
      return id
    },
    async turn(id: string) {
      house.box.pass(hours(12))
      await house.box.work.runDue()
      return (await house.read(id)).history[0]
    },
  }
}
