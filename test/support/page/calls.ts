import { type Access, withEntries } from './screens.ts'

/** A call that changes nothing, and what it answers to whoever may make it. */
export type Call = { method: string; path: string; query?: string; body?: object; access: Access; answers: number }

type Calls = Record<string, [answers: number, more?: { query?: string; body?: object }]>
/** Calls by method and path, all for the same callers. */
const to = (access: Access, calls: Calls, root = '/api/v1'): Call[] =>
  Object.entries(calls).map(([call, [answers, more]]) => {
    const [method = '', path = ''] = call.split(' ')
    return { method, path: root + path, access, answers, ...more }
  })

const unknown = '00000000-0000-4000-8000-000000000000'
const id = { query: `?id=${unknown}` }
const empty = { body: {} }

const runNow: Calls = { 'POST /run': [404, id] }
const ofEveryTool: Calls = {
  'GET /list': [200],
  'GET /figures': [200],
  'GET /recent': [200],
  'GET ': [404, id],
  'POST ': [400, empty],
  'PATCH ': [404, { body: { id: unknown } }],
  'DELETE ': [404, id],
  'POST /bulk': [400, empty],
  'POST /badge': [404, id],
}
/** What a tool has beside those, where that is not just "run now". */
const ofTool: { [Id in (typeof withEntries)[number]['id']]?: Calls } = {
  keepalive: {
    'POST /run': [404, id],
    'POST /advice': [400, empty],
    'GET /forecast': [200],
  },
  ghmdinvalidator: {
    'POST /run': [404, id],
    'POST /preview': [400, empty],
    'POST /check': [400, empty],
    'GET /images': [404, id],
    'GET /copy': [404, { query: `?id=${unknown}&picture=${'0'.repeat(64)}` }],
    'POST /hook': [404, id],
  },
  herokudiscordwebhook: {
    'GET /deliveries': [404, id],
    'GET /delivery': [404, { query: `?id=${unknown}&delivery=${unknown}` }],
    'POST /deliveries/replay': [404, { body: { id: unknown } }],
    'POST /test': [404, id],
    'POST /secret': [404, id],
    'POST /preview': [404, { body: { id: unknown } }],
  },
}

/** Every call of the API. */
export const calls: readonly Call[] = [
  ...to('everybody', {
    'GET /auth/providers': [200],
    'GET /auth/session': [200],
    'GET /auth/second-step': [200],
    'GET /auth/access': [200],
    'POST /auth/setup': [400, empty],
    'POST /auth/forgotten': [400, empty],
    'POST /auth/reset': [400, empty],
    'POST /auth/invite': [400, empty],
    'POST /user/channels/confirm': [400, empty],
    'GET /config': [200],
    'GET /user/export/schema': [200],
    'GET /analyticsbadge/{tag}': [200],
    'GET /analyticsbadge/{tag}/stats': [200],
    'GET /analyticsbadge/{tag}/shields': [200],
    'GET /badges/events': [200, { query: '?tags=a' }],
    'GET /badges/{token}.svg': [404],
    'GET /badges/{token}.json': [404],
  }),
  ...to('signed in', {
    'GET /events': [200],
    'GET /user/sessions': [200],
    'DELETE /user/sessions': [404, id],
    'GET /user/activity': [200],
    'GET /user/inbox': [200],
    'POST /user/inbox/read': [400, empty],
    'GET /user/badges': [200],
    'POST /analyticsbadge/{tag}/claim': [400, { body: { owner: 1 } }],
    'PATCH /analyticsbadge/{tag}': [404, empty],
    'DELETE /analyticsbadge/{tag}/claim': [404],
    'GET /user/access-request': [200],
    'POST /user/access-request': [400, { body: { no: 1 } }],
    'PATCH /user': [400, { body: { name: '' } }],
    'GET /user/email': [200],
    'POST /user/email/link': [409],
    'POST /user/email/confirm': [400, empty],
    'GET /user/password': [200],
    'PATCH /user/password': [400, empty],
    'GET /user/second-factor': [200],
    'POST /user/passkeys/options': [200],
    'POST /user/passkeys': [400, empty],
    'PATCH /user/passkeys': [404, { body: { id: unknown, name: 'Laptop' } }],
    'DELETE /user/passkeys': [404, id],
    'GET /user/apikeys': [200],
    'POST /user/apikeys': [400, empty],
    'DELETE /user/apikeys': [404, id],
    'GET /user/export': [200],
    'GET /user/summary': [200],
    'DELETE /user': [400, id],
    'GET /user/channels': [200],
    'GET /user/channels/types': [200],
    'POST /user/channels': [400, empty],
    'PATCH /user/channels': [404, { body: { id: unknown } }],
    'DELETE /user/channels': [404, id],
    'POST /user/channels/test': [404, id],
    'POST /auth/proof': [400, empty],
    'DELETE /user/provider': [404, { query: '?providerId=001_Discord&accountId=1' }],
  }),
  ...to(['Tools', 1], {
    'GET /badges/today': [200],
    'POST /user/import': [400, empty],
    'GET /search': [200, { query: '?text=any' }],
    'GET /incidents': [200],
    'GET /user/status': [200],
    'PUT /user/status': [400, empty],
    'DELETE /user/status': [404],
  }),
  ...withEntries.flatMap((tool) => to(['Tools', 1], { ...ofEveryTool, ...(ofTool[tool.id] ?? runNow) }, tool.path)),
  ...to(['Admin', 1], {
    'GET /admin/users': [200],
    'GET /admin/user': [404, { query: '?email=nobody@example.com' }],
    'GET /admin/user/emailexistcheck': [200, { query: '?email=nobody@example.com' }],
    'GET /admin/user/usernameexistcheck': [200, { query: '?username=nobody' }],
  }),
  ...to(['Admin', 2], {
    'POST /admin/user': [400, empty],
    'PATCH /admin/users': [400, empty],
    'POST /admin/users/bulk': [400, empty],
    'POST /admin/users/import': [415],
    'POST /admin/users/together': [200, { body: { ids: [unknown] } }],
    'PATCH /admin/user': [404, { body: { id: unknown, name: 'Nobody' } }],
    'PATCH /admin/user/password': [404, { body: { id: unknown, password: 'nine purple kettles' } }],
    'DELETE /admin/user/second-factor': [404, id],
    'DELETE /admin/user/sessions': [404, id],
    'DELETE /admin/user': [404, { query: '?email=nobody@example.com' }],
    'GET /admin/access-requests': [200],
    'POST /admin/access-requests/decide': [400, empty],
    'GET /admin/audit': [200],
    'GET /admin/invites': [200],
    'POST /admin/invites': [400, empty],
    'DELETE /admin/invites': [404, id],
    'GET /admin/backups': [200],
    'GET /admin/backups/status': [200],
    'GET /admin/backups/{name}': [404],
    'POST /admin/backups': [400, { body: { no: 1 } }],
    'GET /admin/health': [200],
    'GET /admin/first-steps': [200],
    'PATCH /admin/first-steps': [400, empty],
    'GET /admin/notifications': [200],
    'POST /admin/notifications': [400, empty],
  }),
]
