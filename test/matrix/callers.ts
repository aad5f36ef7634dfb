import { randomUUID } from 'node:crypto'
import { minutes } from '../../src/shared/time.ts'
import { createPerson, headersOf, injectOnce, openSession } from '../support/people.ts'
import type { Toolbox } from '../support/toolbox.ts'

/** All kinds of callers, in the order of the table's columns. */
export const kinds = [
  'visitor',
  'none',
  'owner',
  'other',
  'tools2',
  'admin1',
  'admin2',
  'key-read',
  'key-both',
  'inactive',
  'blocked',
  'factorless',
  'stale',
] as const
export type Kind = (typeof kinds)[number]

type Call = { method: string; url: string; body?: unknown }
export type Answer = { status: number; headers: Record<string, unknown>; text: string }
export type Callers = Record<Kind, (call: Call) => Promise<Answer>>

/** Creates callers of all kinds. `strict` is an instance that requires a second factor of all users. */
export async function openCallers(box: Toolbox, strict: Toolbox): Promise<{ callers: Callers; owner: string }> {
  const owner = await createPerson(box.context, { name: 'owner' })
  const chief = await createPerson(box.context, { roles: { Admin: 2, Tools: 2 } })
  const session = async (details: Parameters<typeof createPerson>[1], by = box) =>
    browserOf(by, await createPerson(by.context, details))
  const suspended = async (status: number) => {
    const person = await createPerson(box.context, { roles: { Admin: 2, Tools: 2 } })
    const browser = await browserOf(box, person)
    // Keeps the session on purpose, so that only the status can cause a refusal.
    await box.db.q.updateTable('users').set({ status }).where('id', '=', person.id).execute()
    return browser
  }
  const stale = async () => {
    const person = await createPerson(box.context, { roles: { Admin: 2, Tools: 2 } })
    const browser = await browserOf(box, person)
    const created_at = box.db.timestamp(box.now() - minutes(10))
    await box.db.q.updateTable('sessions').set({ created_at }).where('user_id', '=', person.id).execute()
    return browser
  }
  const callers = {
    visitor: caller(box, {}),
    none: await session({ roles: { Tools: 0 } }),
    owner: await browserOf(box, owner),
    other: await session({}),
    tools2: await session({ roles: { Tools: 2 } }),
    admin1: await session({ roles: { Admin: 1, Tools: 0 } }),
    admin2: await session({ roles: { Admin: 2, Tools: 0 } }),
    'key-read': await keyOf(box, chief, ['read']),
    'key-both': await keyOf(box, chief, ['read', 'write']),
    inactive: await suspended(1),
    blocked: await suspended(0),
    stale: await stale(),
    factorless: await session({ roles: { Admin: 2, Tools: 2 }, username: `f-${randomUUID().slice(0, 8)}` }, strict),
  }
  return { callers, owner: owner.id }
}

let callers = 0
/** A caller with these headers and a unique address. */
function caller({ app }: Toolbox, headers: Record<string, string>) {
  callers += 1
  const remoteAddress = `192.0.2.${callers}`
  return async ({ method, url, body }: Call): Promise<Answer> => {
    const sent = { method: method as 'GET', url, headers, remoteAddress }
    return injectOnce(app, { ...sent, ...(body === undefined ? {} : { payload: Object(body) }) })
  }
}

async function browserOf(box: Toolbox, person: { id: string }) {
  const { screen } = await openSession(box, person)
  return caller(box, headersOf(screen.jar))
}

async function keyOf(box: Toolbox, person: { id: string }, scopes: readonly string[]) {
  const browser = await browserOf(box, person)
  const body = { name: scopes.join(), scopes, expiresAt: null }
  const { key } = JSON.parse((await browser({ method: 'POST', url: '/api/v1/user/apikeys', body })).text)
  return caller(box, { authorization: `Bearer ${key}` })
}
