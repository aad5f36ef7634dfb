import * as z from 'zod/mini'
import { parseJson } from '../../platform/body.ts'
import type { Outbound, OutboundRequest } from '../../platform/net/outbound.ts'
import { type Milliseconds, seconds } from '../../shared/time.ts'

/** The time limit for each response of a provider. */
export const providerTimeout: Milliseconds = seconds(10)
const largestAnswer = 1_048_576

/** `spent`: the code was used or expired; `notAgain`: the user had to sign in again and didn't. `note` is logged. */
export type ProviderFailure = { failed: 'spent' | 'trouble' | 'notAgain'; note: string }
type Answered<T> = { status: number; headers: Record<string, string>; value: T }
/** Requests JSON of this shape, or a signed token (a string), from a provider. The tries share the time limit. */
export type Ask = <T>(
  url: string,
  shape: z.ZodMiniType<T>,
  request?: Pick<OutboundRequest, 'method' | 'headers' | 'body'> & { tries?: number },
) => Promise<Answered<T> | ProviderFailure>

export const hasFailed = (answer: object | string): answer is ProviderFailure =>
  typeof answer === 'object' && 'failed' in answer
export const toProviderFailure = (note: string): ProviderFailure => ({ failed: 'trouble', note })

/** `host` is a URL that the operator configured: its origin may have a private address, all others may not. */
export const createAsk = (outbound: Pick<Outbound, 'request'>, timeout: Milliseconds, host?: string): Ask => {
  const ask: Ask = async (url, shape, { headers, tries = 1, ...request } = {}) => {
    for (let triesLeft = tries; ; triesLeft -= 1) {
      const answer = await outbound.request(url, {
        ...request,
        headers: { accept: 'application/json', ...headers },
        timeout: timeout / tries,
        maxBytes: largestAnswer,
        ...(host === undefined ? {} : { exempt: new URL(host).origin }),
      })
      if (triesLeft > 1 && (!answer.answered || answer.status >= 500)) continue
      if (!answer.answered) return toProviderFailure(`${url} ${answer.note}`)
      const { status } = answer
      const isToken = answer.headers['content-type']?.startsWith('application/jwt')
      const parsed = shape.safeParse(isToken ? new TextDecoder().decode(answer.body).trim() : parseJson(answer.body))
      if (parsed.success) return { status, headers: answer.headers, value: parsed.data }
      return toProviderFailure(`${url} answered ${status} with an undocumented response`)
    }
  }
  return ask
}

export type Grant = { code: string; redirectURI: string; codeVerifier?: string | undefined }

const IssuedTokens = z.object({ access_token: z.string().check(z.minLength(1)), id_token: z.optional(z.string()) })
// GitHub reports refusals with status 200, Discord with 400, so the body decides.
const Refusal = z.object({ error: z.string(), error_description: z.optional(z.string()) })
const Token = z.union([Refusal, IssuedTokens])
const spentCodes = ['bad_verification_code', 'invalid_grant']

type TokenEndpoint = {
  client: { id: string; secret: string }
  tokenUrl: string
  /** Where to send the client's secret: in the form or in a header. */
  secretIn?: 'form' | 'header'
}

/** Exchanges the code of the callback for tokens, which are used immediately and stored nowhere. */
export async function exchangeCode(
  ask: Ask,
  { client, tokenUrl, secretIn = 'form' }: TokenEndpoint,
  grant: Grant,
): Promise<{ token: string; idToken?: string | undefined } | ProviderFailure> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    ...(secretIn === 'form' ? { client_id: client.id, client_secret: client.secret } : {}),
    code: grant.code,
    redirect_uri: grant.redirectURI,
    ...(grant.codeVerifier === undefined ? {} : { code_verifier: grant.codeVerifier }),
  })
  const answer = await ask(tokenUrl, Token, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(secretIn === 'header' ? { authorization: basic(client) } : {}),
    },
    body: form.toString(),
  })
  if (hasFailed(answer)) return answer
  if ('access_token' in answer.value && answer.status < 300)
    return { token: answer.value.access_token, idToken: answer.value.id_token }
  const refusal = 'error' in answer.value ? answer.value : { error: `answered ${answer.status}` }
  const { error, error_description }: z.infer<typeof Refusal> = refusal
  const note = `${tokenUrl} ${describeOAuthError(error, error_description)}`
  return spentCodes.includes(error) ? { failed: 'spent', note } : toProviderFailure(note)
}

const longestDescription = 300

export const describeOAuthError = (code: string, description: unknown): string =>
  typeof description === 'string' ? `${code}: ${description.slice(0, longestDescription)}` : code

/** Form-encodes the id and secret first (RFC 6749, section 2.3.1). */
function basic({ id, secret }: TokenEndpoint['client']): string {
  const encoded = [id, secret].map((text) => new URLSearchParams({ '': text }).toString().slice(1))
  return `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`
}
