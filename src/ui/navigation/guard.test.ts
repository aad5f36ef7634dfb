import { beforeEach, expect, it, vi } from 'vitest'
import type { SessionUser } from '../../shared/user.ts'
import { registerForm } from '../data/editing.ts'
import { queryClient } from '../data/query.ts'
import { rememberReturnUrl, sessionQuery, takeReturnUrl } from '../data/session.ts'
import { requireRole, requireSession, requireSignedOut } from './guard.ts'

const stored = new Map<string, string>()
const sessionStorage = {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => stored.set(key, value),
  removeItem: (key: string) => stored.delete(key),
}
vi.stubGlobal('window', { sessionStorage })

const ada: SessionUser = {
  id: 'ada',
  name: 'Ada',
  email: 'ada@example.com',
  emailVerified: true,
  status: 2,
  tags: [],
  roles: { Admin: 0, Tools: 1 },
  providers: [],
  credUsername: 'ada',
}
const isHere = (user: SessionUser | null) => queryClient.setQueryData(sessionQuery.queryKey, user)

/** Where a guard redirects to; undefined if it doesn't. */
const sentTo = (guarded: Promise<void>): Promise<unknown> =>
  guarded.then(
    () => undefined,
    ({ options }) => options.href ?? options.to,
  )
const navigation = { location: { href: '/tools/keepalive?a=b' }, preload: false, cause: 'enter' } as const

beforeEach(() => {
  stored.clear()
  isHere(null)
})

it('redirects a signed-out visitor to sign-in, then once to the requested screen', async () => {
  expect(await sentTo(requireSession(navigation))).toBe('/auth/signin/{-$user}')
  expect(await sentTo(requireSignedOut({ preload: false }))).toBeUndefined()
  isHere(ada)
  expect(await sentTo(requireSignedOut({ preload: false }))).toBe('/tools/keepalive?a=b')
  expect(await sentTo(requireSignedOut({ preload: false }))).toBe('/')
})

it('sends visitors without the role to the error page, and to the requested screen after sign-in', async () => {
  expect(await sentTo(requireRole('Tools', 1)(navigation))).toBe('/auth/error')
  isHere(ada)
  expect(await sentTo(requireSignedOut({ preload: false }))).toBe('/tools/keepalive?a=b')
  expect(await sentTo(requireRole('Tools', 1)(navigation))).toBeUndefined()
  expect(await sentTo(requireRole('Tools', 2)(navigation))).toBe('/auth/error')
})

it('forgets the requested screen once a signed-in user has opened another one', async () => {
  await sentTo(requireSession(navigation))
  isHere(ada)
  expect(await sentTo(requireSession({ ...navigation, location: { href: '/user' } }))).toBeUndefined()
  expect(await sentTo(requireSignedOut({ preload: false }))).toBe('/')
})

it('neither remembers nor forgets the requested screen during a preload', async () => {
  await sentTo(requireSession({ ...navigation, preload: true }))
  expect(stored.size).toBe(0)
  await sentTo(requireSession(navigation))
  isHere(ada)
  await sentTo(requireSession({ ...navigation, preload: true }))
  await sentTo(requireSignedOut({ preload: true }))
  expect(takeReturnUrl()).toBe('/tools/keepalive?a=b')
})

it.each(['//elsewhere.example', '/\\elsewhere.example', 'https://elsewhere.example', ''])(
  'goes to the home page if the remembered address is not on this site: %s',
  (href) => {
    rememberReturnUrl(href)
    expect(takeReturnUrl()).toBe('/')
  },
)

it('lets a user with unsaved changes stay on a forbidden screen, but not enter it', async () => {
  const isThere = requireRole('Tools', 1)
  const forget = registerForm(() => true)
  expect(await sentTo(isThere({ ...navigation, cause: 'stay' }))).toBeUndefined()
  expect(await sentTo(requireSession({ ...navigation, cause: 'stay' }))).toBeUndefined()
  expect(await sentTo(isThere(navigation))).toBe('/auth/error')
  forget()
  expect(await sentTo(isThere({ ...navigation, cause: 'stay' }))).toBe('/auth/error')
})

it('keeps a form with unsaved changes on screen when a second factor becomes required', async () => {
  vi.stubGlobal('origin', 'http://localhost')
  isHere({ ...ada, mustSetUp: true })
  const forget = registerForm(() => true)
  expect(await sentTo(requireSession({ ...navigation, cause: 'stay' }))).toBeUndefined()
  forget()
  expect(await sentTo(requireSession({ ...navigation, cause: 'stay' }))).toBe('/auth/second-factor')
})
