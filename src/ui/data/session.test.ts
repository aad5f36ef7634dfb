import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { SessionUser } from '../../shared/user.ts'
import { isCallCanceled, request } from './api.ts'
import { registerForm, setAuthor, updateAuthor } from './editing.ts'
import { queryClient } from './query.ts'
import { forgetSession, sessionQuery, watchSession } from './session.ts'

const userOf = (name: string) => ({ id: name, name, roles: { Admin: 0, Tools: 1 } }) as SessionUser
const browser = { cookie: '' }
/** The signed-in user, and the URLs of the writes that were sent. */
let user: SessionUser | null = null
let sent: string[] = []
/** Runs just before a response arrives. */
let meanwhile = () => {}
let forget = () => {}
/** Delays responses until it resolves. */
let held: Promise<void> | undefined

/** A server that responds to every request, and to the session request with its user. */
class Request extends EventTarget {
  readonly status = 200
  responseText = ''
  #call: readonly [method: string, url: string] = ['', '']
  open(...call: [string, string]) {
    this.#call = call
  }
  setRequestHeader() {}
  getResponseHeader = () => null
  send() {
    const [method, url] = this.#call
    if (method !== 'GET') sent.push(url)
    this.responseText = JSON.stringify(url === '/api/v1/auth/session' ? { user } : {})
    const released = held
    queueMicrotask(async () => {
      await released
      meanwhile()
      this.dispatchEvent(new Event('load'))
    })
  }
}

const signIn = (name: string) => {
  user = userOf(name)
  browser.cookie = `XSRF-TOKEN=of-another-port; XSRF-TOKEN-3000=of-${name}`
}
const reload = () => queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
const send = (method: string, url: string) => request({ method, url, body: {} })
const save = () => send('PATCH', '/api/v1/keepalive').then(() => 'sent', isCallCanceled)

beforeAll(() => Object.assign(globalThis, { document: browser, location: { port: '3000' }, XMLHttpRequest: Request }))
afterAll(() => {
  forget()
  queryClient.clear()
  for (const name of ['document', 'XMLHttpRequest']) Reflect.deleteProperty(globalThis, name)
})

test('unsaved input of one user is never sent as another, whichever request notices the new user first', async () => {
  signIn('vera')
  forget = registerForm(() => true)
  updateAuthor(await reload())
  expect([await save(), sent]).toEqual(['sent', ['/api/v1/keepalive']])
  sent = []
  signIn('otto')
  expect([await save(), sent]).toEqual([true, []])
  await reload()
  expect([await save(), sent]).toEqual([true, []])
  // A response to a request made by the previous user.
  signIn('vera')
  const late = reload()
  signIn('otto')
  expect([await save(), sent]).toEqual([true, []])
  await late
  // A request sent with the new token and the old session, whose response restores the old token.
  signIn('vera')
  browser.cookie = 'XSRF-TOKEN-3000=of-otto'
  meanwhile = () => Object.assign(browser, { cookie: 'XSRF-TOKEN-3000=of-vera' })
  await reload()
  meanwhile = () => {}
  signIn('otto')
  expect([await save(), sent]).toEqual([true, []])
  // Two overlapping requests, of which the first response is discarded.
  signIn('vera')
  await reload()
  signIn('otto')
  const replaced = reload()
  const { promise, resolve: release } = Promise.withResolvers<void>()
  held = promise
  const last = queryClient.refetchQueries({ queryKey: sessionQuery.queryKey })
  await new Promise((soon) => setTimeout(soon))
  held = undefined
  const early = save()
  release()
  expect([await early, sent]).toEqual([true, []])
  await Promise.all([replaced, last])
  // The user continues as someone else while a save checks who is signed in.
  signIn('otto')
  const saving = save()
  setAuthor(userOf('otto'))
  expect([await saving, sent]).toEqual([true, []])
  setAuthor(userOf('vera'))
  await send('POST', '/api/auth/sign-out')
  await send('POST', '/api/v1/auth/invite')
  expect(sent).toEqual(['/api/auth/sign-out', '/api/v1/auth/invite'])
  setAuthor(userOf('otto'))
  expect([await save(), sent.at(-1)]).toEqual(['sent', '/api/v1/keepalive'])
})

test('notices a sign-in that happens while the session is being loaded', async () => {
  user = null
  const { promise, resolve: release } = Promise.withResolvers<void>()
  held = promise
  const loading = reload()
  await new Promise((soon) => setTimeout(soon))
  held = undefined
  signIn('vera')
  const found = forgetSession()
  release()
  await loading
  expect([await found, queryClient.getQueryData(sessionQuery.queryKey)]).toEqual([user, user])
})

test('leaves the screen whichever request shows that the session has ended or changed', async () => {
  const invalidate = vi.fn(async () => {})
  user = null
  await reload()
  watchSession({ invalidate })
  signIn('ada')
  await reload()
  expect(invalidate).not.toHaveBeenCalled()
  signIn('eve')
  await reload()
  expect(invalidate).toHaveBeenCalledTimes(1)
  user = null
  await reload()
  await reload()
  expect(invalidate).toHaveBeenCalledTimes(2)
  signIn('ada')
  await reload()
  queryClient.setQueryData(sessionQuery.queryKey, null)
  expect(invalidate).toHaveBeenCalledTimes(2)
})
