import { mergeTests } from '@playwright/test'
import { calls } from '../../support/page/calls.ts'
import { test as crowded } from '../../support/page/crowd.ts'
import { expect } from '../../support/page/kit.ts'
import { withEntries } from '../../support/page/screens.ts'
import { test as statements } from '../statements.ts'

const test = mergeTests(statements, crowded)

type Scope = 'read' | 'write'
const mayNot = (what: Scope) => ({ error: `This API key can't ${what}.` })

test('A call with an API key', async ({ callers, house, holds }) => {
  const owner = callers['Tools 1']
  const made: string[] = []
  const keyFor = async (...scopes: Scope[]) => {
    const answer = await owner.call('POST', '/api/v1/user/apikeys', { name: scopes.join(), scopes, expiresAt: null })
    expect(answer.status).toBe(201)
    const { id, key } = (await answer.json()) as { id: string; key: string }
    made.push(id)
    return key
  }
  const ask = async (key: string, method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
    const answer = await fetch(house.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: answer.status, body: (await answer.json()) as unknown }
  }
  const [reading, writing, both] = [await keyFor('read'), await keyFor('write'), await keyFor('read', 'write')]

  for (const { path, label } of withEntries) {
    await holds(`${label}: a key to read lists entries and makes none.`, async () => {
      expect((await ask(reading, 'GET', `${path}/list`)).status).toBe(200)
      expect(await ask(reading, 'POST', path, {})).toEqual({ status: 403, body: mayNot('write') })
      expect(await ask(reading, 'DELETE', `${path}?id=any`)).toEqual({ status: 403, body: mayNot('write') })
    })
    await holds(`${label}: a key to write comes through to the check of its body, and lists nothing.`, async () => {
      expect((await ask(writing, 'POST', path, {})).status).toBe(400)
      expect(await ask(writing, 'GET', `${path}/list`)).toEqual({ status: 403, body: mayNot('read') })
    })
  }
  await holds('A key for both does both, without a cookie or an XSRF token.', async () => {
    const url = house.target.url('/by-key')
    const { status, body } = await ask(both, 'POST', '/api/v1/keepalive/', { url, status: false })
    expect(status).toBe(201)
    const { id } = body as { id: string }
    expect(await ask(both, 'GET', `/api/v1/keepalive?id=${id}`)).toMatchObject({ status: 200, body: { url } })
    expect((await ask(both, 'DELETE', `/api/v1/keepalive?id=${id}`)).status).toBe(200)
  })
  await holds('A key may no more than its owner: what needs Admin answers 403.', async () => {
    for (const { method, path, query = '', body } of calls.filter(({ access }) => access[0] === 'Admin'))
      expect((await ask(both, method, path + query, body)).status, path).toBe(403)
  })
  await holds('No key reads or changes keys, passwords or sign-in methods.', async () => {
    for (const [method, path] of closed) {
      const sent = await ask(both, method, path, method === 'GET' || method === 'DELETE' ? undefined : {})
      expect(sent, path).toEqual({ status: 403, body: { error: "API keys can't do this. Sign in instead." } })
    }
  })
  await holds('A wrong key answers 401.', async () => {
    expect((await ask('tbx_wrong', 'GET', '/api/v1/keepalive/list')).status).toBe(401)
  })
  await holds('A deleted key answers 401 from then on.', async () => {
    for (const id of made) expect((await owner.call('DELETE', `/api/v1/user/apikeys?id=${id}`)).status).toBe(200)
    for (const key of [reading, writing, both])
      expect((await ask(key, 'GET', '/api/v1/keepalive/list')).status).toBe(401)
  })
})

const closed = [
  ['GET', '/api/v1/user/apikeys'],
  ['POST', '/api/v1/user/apikeys'],
  ['DELETE', '/api/v1/user/apikeys?id=any'],
  ['PATCH', '/api/v1/user/password'],
  ['DELETE', '/api/v1/user/provider?providerId=001_Discord&accountId=1'],
  ['DELETE', '/api/v1/user/sessions?id=any'],
] as const
