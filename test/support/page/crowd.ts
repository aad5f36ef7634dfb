import type { APIRequest, Browser, Page } from '@playwright/test'
import { can } from '../../../src/shared/user.ts'
import { password } from '../people.ts'
import { dismiss, nobody, person } from './admin.ts'
import type { House, Session } from './house.ts'
import { test as base } from './kit.ts'
import type { Access } from './screens.ts'

/** One caller for each thing a user may be allowed; the roles of the first are nobody's. */
const crowd = {
  'signed out': undefined,
  'no role': { Tools: 0, Admin: 0 },
  'Tools 1': { Tools: 1, Admin: 0 },
  'Tools 2': { Tools: 2, Admin: 0 },
  'Admin 1': { Tools: 0, Admin: 1 },
  'Admin 2': { Tools: 0, Admin: 2 },
} as const
export type Who = keyof typeof crowd
export const everyone = Object.keys(crowd) as Who[]

/** Whether this caller has what is asked for. */
export function has(who: Who, access: Access): boolean {
  const roles = crowd[who]
  if (access === 'everybody') return true
  if (access === 'signed out') return !roles
  if (access === 'signed in') return Boolean(roles)
  return can(roles && { roles }, ...access)
}

export type Caller = {
  email: string
  session: Session | undefined
  /** Calls as this one's browser would. */
  call(method: string, path: string, body?: object): Promise<Response>
}

const emailOf = (who: string) => `${who.toLowerCase().replaceAll(' ', '-')}@example.com`

/** Somebody new with these roles, signed in. */
async function newCaller(requests: APIRequest, house: House, name: string, roles: object): Promise<Caller> {
  const email = emailOf(name)
  const username = email.replace(/@.*/, '')
  await person(house, username, roles)
  const context = await requests.newContext({ baseURL: house.url, storageState: nobody })
  await context.post('/api/auth/sign-in/username', { data: { username, password } })
  const session = await context.storageState()
  await context.dispose()
  return { email, session, call: calling(house, session) }
}

function calling(house: House, session: Session | undefined): Caller['call'] {
  const cookies = session?.cookies ?? []
  const xsrf = cookies.find(({ name }) => name === 'XSRF-TOKEN')?.value
  const headers = {
    'content-type': 'application/json',
    cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
    ...(xsrf && { 'x-xsrf-token': xsrf }),
  }
  return (method, path, body) =>
    fetch(house.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
}

type Crowd = Record<Who, Caller>

/** ToolBox with somebody of each kind, and `other`, one more with Tools 1. */
export const test = base.extend<{ callers: Crowd; other: Caller }>({
  other: async ({ playwright, house }, use) => {
    const other = await newCaller(playwright.request, house, 'other', { Tools: 1 })
    await use(other)
    await dismiss(house, other)
  },
  callers: async ({ playwright, house }, use) => {
    const callers: [string, Caller][] = []
    for (const [who, roles] of Object.entries(crowd)) {
      const nobody = { email: '', session: undefined, call: calling(house, undefined) }
      callers.push([who, roles ? await newCaller(playwright.request, house, who, roles) : nobody])
    }
    await use(Object.fromEntries(callers) as Crowd)
    for (const [, caller] of callers) if (caller.email) await dismiss(house, caller)
  },
})

/** A browser of this caller. */
export async function browserOf(browser: Browser, house: House, { session }: Caller): Promise<Page> {
  const context = await browser.newContext({ baseURL: house.url, ...(session && { storageState: session }) })
  return context.newPage()
}
