import { expect } from 'vitest'
import type { Dialect } from '../../../test/support/database/databases.ts'
import { fakeGithub } from '../../../test/support/fakes/fake-github.ts'
import { type Outside, toolbox } from '../../../test/support/toolbox.ts'

export const base = '/api/v1/ghmdinvalidator'

/** ToolBox with its own fake GitHub, and ada, who has pages there. */
export async function openHouse(dialect: Dialect, outside?: Outside) {
  const github = await fakeGithub()
  const box = await toolbox(dialect, github.env, undefined, outside)
  const person = await box.person('ada')
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
    /** What ada's browser sends with a GET. */
    cookies: { cookie: `${name}=${encodeURIComponent(sign(person.token))}` },
    create,
    read,
    /** What the last run that could read the page found. */
    last: async (id: string) => (await ada.get(`${base}/images?id=${id}`)).body,
    /** The URL of an image that no other test has. */
    origin: (name: string) => `https://img.example/${name}/${serial++}.svg`,
    /** The path of a repository that no other test has. */
    path: () => `/owner/page${serial++}`,
    /** Saves a page and waits for its first run. */
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
export type House = Awaited<ReturnType<typeof openHouse>>
