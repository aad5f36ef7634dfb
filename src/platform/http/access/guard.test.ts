import { expect, test } from 'vitest'
import { byKey, callerWith, testServer } from '../../../../test/support/scenes/test-server.ts'
import type { Caller } from '../app.ts'
import { anonymous, callerOf, guard, open, signedIn } from './guard.ts'

async function statusFor(caller: Caller | undefined, method: 'GET' | 'POST' = 'GET') {
  const { app } = await testServer({ identify: () => caller })
  app.get('/api/v1/work', guard('Tools', 1, 'read'), () => ({}))
  app.post('/api/v1/work', guard('Tools', 1, 'write'), () => ({}))
  app.get('/api/v1/admin', guard('Admin', 2, 'read'), () => ({}))
  app.get('/api/v1/me', signedIn('read'), (request) => ({ id: callerOf(request).user.id }))
  const statuses = await Promise.all(
    ['/api/v1/work', '/api/v1/admin', '/api/v1/me'].map((url) => app.inject({ method, url })),
  )
  return statuses.map((answer) => answer.statusCode)
}

test('lets in by role and level', async () => {
  expect(await statusFor(undefined)).toEqual([401, 401, 401])
  expect(await statusFor(callerWith({}))).toEqual([403, 403, 200])
  expect(await statusFor(callerWith({ Tools: 1, Admin: 1 }))).toEqual([200, 403, 200])
  expect(await statusFor(callerWith({ Tools: 2, Admin: 2 }))).toEqual([200, 200, 200])
})

test('says in words what is missing', async () => {
  const { app } = await testServer({
    identify: (request) => (request.headers.authorization ? callerWith({}) : undefined),
  })
  app.get('/api/v1/admin', guard('Admin', 2, 'read'), () => ({}))
  expect((await app.inject('/api/v1/admin')).json()).toEqual({ error: 'Sign in first.' })
  const answer = await app.inject({ url: '/api/v1/admin', headers: { authorization: 'x' } })
  expect(answer.json()).toEqual({ error: 'You need Admin Access to Admin.' })
})

test('keeps an API key within its scopes', async () => {
  const reader = callerWith({ Tools: 1 }, { ...byKey, scopes: ['read'] })
  const writer = callerWith({ Tools: 1 }, { ...byKey, scopes: ['write'] })
  const both = [
    await statusFor(reader),
    await statusFor(reader, 'POST'),
    await statusFor(writer),
    await statusFor(writer, 'POST'),
  ]
  expect(both.map(([work]) => work)).toEqual([200, 403, 403, 200])
})

test('does not look up the caller of an anonymous route', async () => {
  let looks = 0
  const { app } = await testServer({ identify: () => void looks++ })
  app.get('/api/v1/fast', anonymous(), () => ({}))
  app.get('/api/v1/open', open('read'), () => ({}))
  await app.inject('/api/v1/fast')
  expect(looks).toBe(0)
  await app.inject('/api/v1/open')
  expect(looks).toBe(1)
})

test('does not start with a route of the API that says nothing of who may use it', async () => {
  const { app } = await testServer()
  expect(() => app.get('/api/v1/forgotten', () => ({}))).toThrow('GET /api/v1/forgotten does not say who may use it')
  expect(() => app.post('/api/auth/new', () => ({}))).toThrow('POST /api/auth/new does not say who may use it')
})

test('keeps every API key from a call that is for people alone, even from one that is open', async () => {
  const statusBy = async (caller: Caller | undefined) => {
    const { app } = await testServer({ identify: () => caller })
    app.get('/api/v1/secrets', guard('Admin', 2, 'never'), () => ({}))
    app.post('/api/auth/sign-out', open('never'), () => ({}))
    const answers = [
      await app.inject('/api/v1/secrets'),
      await app.inject({ method: 'POST', url: '/api/auth/sign-out' }),
    ]
    return answers.map(({ statusCode }) => statusCode)
  }
  expect(await statusBy(callerWith({ Admin: 2 }, byKey))).toEqual([403, 403])
  expect(await statusBy(callerWith({ Admin: 2 }))).toEqual([200, 200])
  expect(await statusBy(callerWith({ Admin: 1 }))).toEqual([403, 200])
  expect(await statusBy(undefined)).toEqual([401, 200])
})
