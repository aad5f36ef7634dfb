import { type APIRequest, expect } from '@playwright/test'
import { createUser } from '../../../src/people/store.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { openSqlite } from '../../../src/platform/db/sqlite/open.ts'
import { minutes } from '../../../src/shared/time.ts'
import { hashPassword } from '../../../src/sign-in/passwords/password.ts'
import { makePasswordsCheap } from '../cheap-passwords.ts'
import { fakeDiscord } from '../fakes/fake-discord.ts'
import { fakeGithub } from '../fakes/fake-github.ts'
import { fakeSmtp } from '../fakes/fake-smtp.ts'
import { password } from '../people.ts'
import { admin, adminEnv, signedInClient, startProcess } from '../process.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { isStressed, startSlowProxy } from './stress.ts'
import { startTarget } from './target.ts'

makePasswordsCheap()

export type Session = Awaited<ReturnType<Awaited<ReturnType<APIRequest['newContext']>>['storageState']>>

type Entry = { id: string; url: string; status: boolean }
type Made = { id?: string; email?: string }
type Found = { id: string; tool: string }

/** The URL whose DELETE removes what a POST to this path created. */
const deletionOf = (path: string, { id, email }: Made) =>
  path === '/api/v1/admin/user'
    ? `${path}?email=${encodeURIComponent(email ?? '')}`
    : `${path.replace(/\/$/, '')}?id=${id}`

/** ToolBox with ada, who may do everything, grace, who may use no tool, and fakes of GitHub, Discord and mail. */
export async function startInstance(requests: APIRequest, env: Record<string, string> = {}) {
  const folder = temporaryFolder()
  const [target, github, discord, smtp] = await Promise.all([startTarget(), fakeGithub(), fakeDiscord(), fakeSmtp()])
  const way = isStressed ? await startSlowProxy() : undefined
  const server = await startProcess({
    ...way?.env,
    DATA_DIR: folder,
    LOG_LEVEL: 'warn',
    RELAY_RETRY: '1s',
    ...adminEnv,
    ...github.env,
    ...discord.env,
    ...smtp.env,
    ...env,
  })
  await changeDatabase({ folder }, addGrace)
  let provedAt = Date.now()
  const asAda = await signedInClient(server.url)
  const deletions: string[] = []
  const lasting = new Set<string>()
  const removed = new Set<string>()
  const call: typeof asAda = async (method, path, body) => {
    const [, id] = method === 'DELETE' ? (/\?id=([^&]+)/.exec(path) ?? []) : []
    if (id) removed.add(id)
    const answer = await asAda<never>(method, path, body)
    if (method === 'POST' && answer.status === 201) deletions.push(deletionOf(path, answer.body))
    if (method === 'PUT' && path === '/api/v1/user/status') deletions.push(path)
    return answer
  }
  const sessions = {
    ada: await sessionOf(requests, server.url, admin.username, admin.password),
    grace: await sessionOf(requests, server.url, 'grace', password),
  }
  return {
    url: way?.url ?? server.url,
    folder,
    target,
    github,
    discord,
    smtp,
    sessions,
    call,
    /** Renews all re-authentications: they last ten minutes, and some of a house's many tests start later than that. */
    async renewReauthentication() {
      if (Date.now() - provedAt < minutes(3)) return
      provedAt = Date.now()
      const set = { proved_at: provedAt }
      await changeDatabase({ folder }, (db) => db.q.updateTable('sessions').set(set).execute())
    },
    /** Deletes everything that calls as ada have created, and her other data. Call it once no page shows them. */
    async cleanUp() {
      for (const path of deletions.splice(0).reverse()) await asAda('DELETE', path)
      for (const path of ['/api/v1/user/channels', '/api/v1/user/apikeys'])
        for (const { id } of (await asAda<Made[]>('GET', path)).body) await asAda('DELETE', `${path}?id=${id}`)
      const { rows } = (await asAda<{ rows: Found[] }>('GET', '/api/v1/search?text=&mine=true')).body
      for (const { id, tool } of rows) if (!lasting.has(id)) await asAda('DELETE', `/api/v1/${tool}?id=${id}`)
      await asAda('POST', '/api/v1/user/inbox/read', { until: Date.now() })
    },
    /** Keeps everything created so far for later tests. */
    keepCreated() {
      for (const path of deletions.splice(0)) lasting.add(path.slice(path.indexOf('=') + 1))
    },
    /** Starts new inbox items, so that news isn't grouped with an earlier test's from the last ten seconds. */
    forgetInboxGroups: () => changeDatabase({ folder }, (db) => db.q.deleteFrom('inbox_group').execute()),
    /** Creates a user who may use no tool, with the password of all test users. */
    async createTestUser(name: string) {
      const user = { name, email: `${name}@example.com`, credUsername: name, password }
      expect((await call('POST', '/api/v1/admin/user', user)).status).toBe(201)
    },
    async entry(path: string, more: { status?: boolean; name?: string } = {}): Promise<string> {
      const { status, body } = await call<Entry>('POST', '/api/v1/keepalive/', { url: target.url(path), ...more })
      expect(status).toBe(201)
      return body.id
    },
    entries: async () => (await call<Entry[]>('GET', '/api/v1/keepalive/list')).body,
    async remove(id: string) {
      const entry = `/api/v1/keepalive?id=${id}`
      const { badge } = (await call<{ badge?: string }>('GET', entry)).body
      if (badge) removed.add(badge)
      return call('DELETE', entry)
    },
    /** Whether a console error is about a removed entry or its badge, which a page may still request. */
    isAboutRemoved: (text: string) => [...removed].some((sign) => text.includes(sign)),
    async close() {
      way?.close()
      const code = await server.end('SIGTERM')
      if (code !== 0) throw new Error(`ToolBox ended with ${code}:\n${server.printed().slice(-4_000)}`)
      await Promise.all([target.stop(), github.close(), discord.close(), smtp.close()])
    },
  }
}
export type Instance = Awaited<ReturnType<typeof startInstance>>

/** Changes or reads the database of a running server. */
export async function changeDatabase<T>({ folder }: { folder: string }, change: (db: Db) => Promise<T>): Promise<T> {
  const db = openSqlite(folder)
  try {
    return await change(db)
  } finally {
    await db.close()
  }
}

async function addGrace(db: Db) {
  const grace = {
    name: 'grace',
    email: 'grace@example.com',
    emailVerified: true,
    roles: { Admin: 0, Tools: 0 },
  } as const
  const credentials = { username: 'grace', hash: await hashPassword(password) }
  await createUser(db, db.q, { ...grace, credentials }, Date.now())
}

export async function sessionOf(requests: APIRequest, url: string, username: string, password: string) {
  const context = await requests.newContext({ baseURL: url })
  const answer = await context.post('/api/auth/sign-in/username', { data: { username, password } })
  expect(answer.status()).toBe(200)
  const state = await context.storageState()
  await context.dispose()
  return state
}
