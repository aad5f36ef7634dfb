import { request } from '@playwright/test'
import { openSqlite } from '../../src/platform/db/sqlite/open.ts'
import { sessionOf, startInstance } from '../support/page/instance.ts'
import { createRelay, deliver } from '../support/page/relay.ts'
import { password } from '../support/people.ts'
import { fillPeople } from './crowd.ts'
import { fillEntries } from './entries.ts'
import { fillStatusPage } from './shots/status.ts'

/** Users in addition to ada and grace: `layla` has the longest values everywhere, `noor` has no data yet. */
const layla = {
  name: 'ليلى بنت عبد الرحمن الأندلسي القرطبي',
  email: 'layla.bint.abd.al-rahman.al-andalusi.al-qurtubi@mathematics.university-of-cordoba.example.com',
  credUsername: 'layla',
  password,
  roles: { Tools: 1 },
  tags: ['Verified', 'Admin', 'Moderator'],
}
const noor = { name: 'Noor', email: 'noor@example.com', credUsername: 'noor', password, roles: { Tools: 1 } }

const providers = {
  GITHUB_URL: 'https://github.com',
  DISCORD_CLIENT_ID: 'gallery',
  DISCORD_CLIENT_SECRET: 'gallery',
  GITHUB_CLIENT_ID: 'gallery',
  GITHUB_CLIENT_SECRET: 'gallery',
  OIDC_ISSUER: 'https://id.example.com',
  OIDC_CLIENT_ID: 'gallery',
  OIDC_CLIENT_SECRET: 'gallery',
  OIDC_NAME: 'Example Login',
}

export async function openScene() {
  const instance = await startInstance(request, providers)
  for (const user of [layla, noor]) await instance.call('POST', '/api/v1/admin/user', user)
  const paused = { url: 'https://github.com/octocat/hello-world', status: false }
  const page = (await instance.call<{ id: string }>('POST', '/api/v1/ghmdinvalidator/', paused)).body.id
  const relay = await createRelay(instance, instance.discord.webhook())
  for (const version of [41, 42, 43]) await deliver(relay, version)
  const db = openSqlite(instance.folder)
  const now = Date.now()
  await fillPeople(db, now)
  const entries = await fillEntries(db, instance.target.url('/health'), now)
  await fillStatusPage(db, now)
  await db.close()
  const sessions = {
    ...instance.sessions,
    layla: await sessionOf(request, instance.url, 'layla', password),
    noor: await sessionOf(request, instance.url, 'noor', password),
  }
  return { url: instance.url, entries: { ...entries, page, relay: relay.id }, sessions, close: instance.close }
}
export type Scene = Awaited<ReturnType<typeof openScene>>
