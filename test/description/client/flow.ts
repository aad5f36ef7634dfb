import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { paths } from 'toolbox-api'

// A client that uses only the types generated from the API description: type-checked, then run against a server.
const [baseUrl = '', username = '', password = '', target = ''] = process.argv.slice(2)

const anybody = createClient<paths>({ baseUrl })
const signedIn = await anybody.POST('/api/auth/sign-in/username', { body: { username, password } })
strictEqual(signedIn.response.status, 200)
const cookies = signedIn.response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '')
const xsrf = cookies.find((cookie) => cookie.startsWith('XSRF-TOKEN='))?.slice('XSRF-TOKEN='.length) ?? ''
const session = createClient<paths>({ baseUrl, headers: { cookie: cookies.join('; '), 'x-xsrf-token': xsrf } })

const createdKey = await session.POST('/api/v1/user/apikeys', {
  body: { name: 'generated client', scopes: ['read', 'write'], expiresAt: null },
})
const { key, id: keyId } = createdKey.data ?? { key: '', id: '' }
const api = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } })

const created = await api.POST('/api/v1/keepalive', { body: { url: target, name: 'Shop', interval: 30 } })
strictEqual(created.response.status, 201)
const entry = created.data
if (!entry) throw new Error('Nothing was created.')
const { id, updatedAt } = entry
deepStrictEqual([entry.name, entry.every, entry.health, entry.history], ['Shop', 30, 'new', []])

const edited = await api.PATCH('/api/v1/keepalive', { body: { id, name: 'Store', ifUpdatedAt: updatedAt } })
strictEqual(edited.data?.name, 'Store')
const outdated = await api.PATCH('/api/v1/keepalive', { body: { id, name: 'Late', ifUpdatedAt: updatedAt } })
strictEqual(outdated.response.status, 409)
strictEqual(outdated.error && 'current' in outdated.error ? outdated.error.current?.name : undefined, 'Store')

const listed = await api.GET('/api/v1/keepalive/list', { params: { query: { page: '1', size: '10' } } })
const rows = listed.data && 'rows' in listed.data ? listed.data.rows : []
deepStrictEqual(
  rows.map((row) => row.id),
  [id],
)

// @ts-expect-error an interval is a number, "auto" or null
const wrong = await api.POST('/api/v1/keepalive', { body: { url: target, interval: 'often' } })
strictEqual(Object.keys(wrong.error?.fields ?? {}).join(), 'interval')
// @ts-expect-error the id of the entry is required
const nameless = await api.GET('/api/v1/keepalive')
strictEqual(nameless.response.status, 400)
// @ts-expect-error there is no such call
strictEqual((await api.GET('/api/v1/keepalives')).response.status, 404)

const removed = await api.DELETE('/api/v1/keepalive', { params: { query: { id } } })
deepStrictEqual(removed.data, { id })
const missing = await api.GET('/api/v1/keepalive', { params: { query: { id } } })
deepStrictEqual([missing.response.status, missing.error?.error], [404, 'Entry not found.'])

strictEqual((await session.DELETE('/api/v1/user/apikeys', { params: { query: { id: keyId } } })).response.status, 200)
const refused = await api.GET('/api/v1/keepalive/list')
deepStrictEqual(
  [refused.response.status, refused.error?.error],
  [401, 'This API key is invalid, expired or suspended.'],
)
strictEqual((await session.POST('/api/auth/sign-out')).response.status, 200)
console.log('done')
