import { expect, test } from 'vitest'
import { byKey, callerWith, testServer } from '../../../../test/support/scenes/test-server.ts'
import { anonymous, guard, open } from './guard.ts'

test('explains which access is missing', async () => {
  const { app } = await testServer({
    identify: (request) => (request.headers.authorization ? callerWith({}) : undefined),
  })
  app.get('/api/v1/admin', guard('Admin', 2, 'read'), () => ({}))
  expect((await app.inject('/api/v1/admin')).json()).toEqual({ error: 'Sign in first.' })
  const answer = await app.inject({ url: '/api/v1/admin', headers: { authorization: 'x' } })
  expect(answer.json()).toEqual({ error: 'You need Admin Access to Admin.' })
})

test('keeps an API key within its scopes', async () => {
  const statusesFor = async (scope: 'read' | 'write') => {
    const { app } = await testServer({ identify: () => callerWith({ Tools: 1 }, { ...byKey, scopes: [scope] }) })
    app.get('/api/v1/work', guard('Tools', 1, 'read'), () => ({}))
    app.post('/api/v1/work', guard('Tools', 1, 'write'), () => ({}))
    const answers = [await app.inject('/api/v1/work'), await app.inject({ method: 'POST', url: '/api/v1/work' })]
    return answers.map(({ statusCode }) => statusCode)
  }
  expect([await statusesFor('read'), await statusesFor('write')]).toEqual([
    [200, 403],
    [403, 200],
  ])
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

test('refuses to mount an API route that does not declare its access', async () => {
  const { app } = await testServer()
  expect(() => app.get('/api/v1/forgotten', () => ({}))).toThrow('GET /api/v1/forgotten does not say who may use it')
  expect(() => app.post('/api/auth/new', () => ({}))).toThrow('POST /api/auth/new does not say who may use it')
})
