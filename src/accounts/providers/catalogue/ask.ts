import * as z from 'zod/mini'
import type { Outbound, OutboundRequest } from '../../../platform/net/outbound.ts'
import { type Milliseconds, seconds } from '../../../shared/time.ts'

/** How long a provider may take for each answer. */
export const patience: Milliseconds = seconds(10)
const largestAnswer = 1_048_576

/** Why a provider did not identify the user; `spent`: the code was already used or has expired. The note is for the log. */
export type Failed = { failed: 'spent' | 'trouble'; note: string }
type Answered<T> = { status: number; headers: Record<string, string>; value: T }
/** Requests JSON of this shape from a provider. */
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

type Grant = { code: string; redirectURI: string; codeVerifier?: string | undefined }

// GitHub refuses with status 200, Discord with 400, so the body decides.
const Token = z.union([z.object({ error: z.string() }), z.object({ access_token: z.string().check(z.minLength(1)) })])
const spentCodes = ['bad_verification_code', 'invalid_grant']

type TokenEndpoint = { client: { id: string; secret: string }; tokenUrl: string }

/** Exchanges the code of the callback for a token, which is used at once and stored nowhere. */
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
