import type { KeyUse, KeyUses } from './platform/http/access/guard.ts'
import { tools } from './tools/index.ts'

/**
 * What an API key may do with each call: every route whose caller is looked up stands here, or the server doesn't start.
 * No key touches how anybody signs in. `{tool}` is any tool of ours.
 */
const table: Readonly<Record<string, KeyUse>> = {
  'GET /metrics': 'read',
  'GET /api/v1/openapi.json': 'read',
  'GET /api/v1/config': 'read',
  'GET /api/v1/events': 'read',

  'POST /api/auth/sign-in/username': 'never',
  'POST /api/auth/sign-in/social': 'never',
  'POST /api/auth/sign-in/passkey': 'never',
  'POST /api/auth/sign-in/passkey/options': 'never',
  'GET /api/v1/auth/second-step': 'never',
  'POST /api/auth/two-factor/verify-totp': 'never',
  'POST /api/auth/two-factor/verify-backup-code': 'never',
  'POST /api/auth/two-factor/enable': 'never',
  'POST /api/auth/two-factor/disable': 'never',
  'POST /api/auth/two-factor/generate-backup-codes': 'never',
  'GET /api/auth/callback/:provider': 'never',
  'POST /api/auth/link-social': 'never',
  'POST /api/auth/sign-out': 'never',
  'GET /api/v1/auth/providers': 'read',
  'GET /api/v1/auth/session': 'read',
  'POST /api/v1/auth/setup': 'never',
  'POST /api/v1/auth/proof': 'never',

  'DELETE /api/v1/user/provider': 'never',
  'GET /api/v1/user/activity': 'read',
  'GET /api/v1/user/inbox': 'read',
  'POST /api/v1/user/inbox/read': 'write',
  'GET /api/v1/user/password': 'read',
  'PATCH /api/v1/user/password': 'never',
  'GET /api/v1/user/second-factor': 'never',
  'POST /api/v1/user/passkeys/options': 'never',
  'POST /api/v1/user/passkeys': 'never',
  'PATCH /api/v1/user/passkeys': 'never',
  'DELETE /api/v1/user/passkeys': 'never',
  'GET /api/v1/user/sessions': 'read',
  'DELETE /api/v1/user/sessions': 'never',
  'GET /api/v1/user/apikeys': 'never',
  'POST /api/v1/user/apikeys': 'never',
  'DELETE /api/v1/user/apikeys': 'never',

  'GET /api/v1/user/export': 'read',
  'GET /api/v1/user/export/schema': 'read',
  'POST /api/v1/user/import': 'never',
  'GET /api/v1/user/summary': 'read',
  'DELETE /api/v1/user': 'never',

  'GET /api/v1/user/channels': 'never',
  'GET /api/v1/user/channels/types': 'never',
  'POST /api/v1/user/channels': 'never',
  'PATCH /api/v1/user/channels': 'never',
  'DELETE /api/v1/user/channels': 'never',
  'POST /api/v1/user/channels/test': 'never',
  'POST /api/v1/user/channels/confirm': 'never',

  'GET /api/v1/admin/backups': 'never',
  'POST /api/v1/admin/backups': 'never',
  'GET /api/v1/admin/backups/status': 'never',
  'GET /api/v1/admin/backups/:name': 'never',

  'GET /api/v1/admin/users': 'read',
  'GET /api/v1/admin/user': 'read',
  'GET /api/v1/admin/user/emailexistcheck': 'read',
  'GET /api/v1/admin/user/usernameexistcheck': 'read',
  'POST /api/v1/admin/user': 'never',
  'PATCH /api/v1/admin/user': 'partly',
  'PATCH /api/v1/admin/user/password': 'never',
  'DELETE /api/v1/admin/user': 'never',
  'DELETE /api/v1/admin/user/second-factor': 'never',
  'DELETE /api/v1/admin/user/sessions': 'never',
  'GET /api/v1/admin/audit': 'read',
  'GET /api/v1/admin/notifications': 'read',
  'POST /api/v1/admin/notifications': 'write',

  'GET /api/v1/user/status': 'read',
  'PUT /api/v1/user/status': 'write',
  'DELETE /api/v1/user/status': 'write',

  'GET /api/v1/incidents': 'read',
  'GET /api/v1/search': 'read',
  'GET /api/v1/{tool}': 'masked',
  'GET /api/v1/{tool}/list': 'masked',
  'GET /api/v1/{tool}/recent': 'masked',
  'GET /api/v1/{tool}/figures': 'read',
  'POST /api/v1/{tool}': 'write',
  'PATCH /api/v1/{tool}': 'write',
  'DELETE /api/v1/{tool}': 'write',
  'POST /api/v1/{tool}/run': 'write',
  'POST /api/v1/{tool}/bulk': 'write',
  'POST /api/v1/{tool}/badge': 'write',
  'POST /api/v1/{tool}/preview': 'write',
  'POST /api/v1/{tool}/test': 'write',
  'POST /api/v1/{tool}/secret': 'write',
  'POST /api/v1/{tool}/hook': 'write',
  'GET /api/v1/{tool}/images': 'read',
  'GET /api/v1/{tool}/copy': 'read',
  'POST /api/v1/{tool}/check': 'write',
  'GET /api/v1/{tool}/deliveries': 'read',
  'GET /api/v1/{tool}/delivery': 'read',
  'POST /api/v1/{tool}/deliveries/replay': 'write',
  'POST /api/v1/{tool}/advice': 'read',
  'GET /api/v1/{tool}/forecast': 'read',
  'GET /api/v1/badges/today': 'read',
  'GET /api/v1/user/badges': 'read',
  'POST /api/v1/{tool}/:tag/claim': 'write',
  'DELETE /api/v1/{tool}/:tag/claim': 'write',
  'PATCH /api/v1/{tool}/:tag': 'write',
}

const ofTool = new RegExp(`^/api/v1/(?:${tools.map(({ id }) => id).join('|')})(?=/|$)`)

export const keyUses: KeyUses = (method, url) => {
  const call = `${method} ${url.replace(ofTool, '/api/v1/{tool}')}`
  return Object.hasOwn(table, call) ? table[call] : undefined
}
