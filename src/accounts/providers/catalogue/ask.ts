import * as z from 'zod/mini'
import type { Outbound, OutboundRequest } from '../../../platform/net/outbound.ts'
import { type Milliseconds, seconds } from '../../../shared/time.ts'

/** How long each answer of a provider may take. */
export const patience: Milliseconds = seconds(10)
const largestAnswer = 1_048_576

/** Why a provider did not say who somebody is: `spent` means the code is used up or too old. The note is for the log. */
export type Failed = { failed: 'spent' | 'trouble'; note: string }
export type Answered<T> = { status: number; headers: Record<string, string>; value: T }
/** Asks a provider for JSON of this shape. */
export type Ask = <T>(
  url: string,
  shape: z.ZodMiniType<T>,
  request?: Pick<OutboundRequest, 'method' | 'headers' | 'body'>,
) => Promise<Answered<T> | Failed>

export const hasFailed = (answer: object): answer is Failed => 'failed' in answer
export const trouble = (note: string): Failed => ({ failed: 'trouble', note })

export const asking =
  (outbound: Outbound, timeout: Milliseconds): Ask =>
  async (url, shape, { headers, ...request } = {}) => {
    const answer = await outbound.request(url, {
      ...request,
      headers: { accept: 'application/json', ...headers },
      timeout,
      maxBytes: largestAnswer,
    })
    if (!answer.answered) return trouble(`${url} ${answer.note}`)
    const { status } = answer
    const parsed = shape.safeParse(fromJson(answer.body))
    if (parsed.success) return { status, headers: answer.headers, value: parsed.data }
    return trouble(`${url} answered ${status} with an undocumented response`)
  }

function fromJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

export type Grant = { code: string; redirectURI: string; codeVerifier?: string | undefined }

// GitHub answers its refusals with 200, Discord with 400: the body says what it is.
const Token = z.union([z.object({ error: z.string() }), z.object({ access_token: z.string().check(z.minLength(1)) })])
const spentCodes = ['bad_verification_code', 'invalid_grant']

type TokenEndpoint = { client: { id: string; secret: string }; tokenUrl: string }

/** Trades the code somebody came back with for a token, which is used at once and kept nowhere. */
export async function tokenFor(
  ask: Ask,
  { client, tokenUrl }: TokenEndpoint,
  grant: Grant,
): Promise<{ token: string } | Failed> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: client.id,
    client_secret: client.secret,
    code: grant.code,
    redirect_uri: grant.redirectURI,
    ...(grant.codeVerifier === undefined ? {} : { code_verifier: grant.codeVerifier }),
  })
  const answer = await ask(tokenUrl, Token, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  })
  if (hasFailed(answer)) return answer
  if ('access_token' in answer.value && answer.status < 300) return { token: answer.value.access_token }
  const { error } = { error: `answered ${answer.status}`, ...answer.value }
  return spentCodes.includes(error) ? { failed: 'spent', note: error } : trouble(`${tokenUrl} ${error}`)
}
