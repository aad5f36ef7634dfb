import { ApiKey } from '../../people/contract.ts'
import type { Queries } from '../../platform/db/open.ts'

/** A user's API keys without their secrets, newest first, including expired ones. */
export async function apiKeysOf(q: Queries, userId: string): Promise<ApiKey[]> {
  const rows = await q
    .selectFrom('api_key')
    .select(['id', 'name', 'last4', 'scopes', 'created_at', 'last_used_at', 'expires_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    last4: row.last4,
    scopes: parseScopes(row.scopes),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  }))
}

/** The scopes of a key from its row. */
export const parseScopes = (text: string): ApiKey['scopes'] => ApiKey.shape.scopes.parse(JSON.parse(text))
