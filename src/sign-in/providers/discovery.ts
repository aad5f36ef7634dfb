import * as z from 'zod/mini'
import { hours, type Instant, type Milliseconds } from '../../shared/time.ts'
import { type Ask, type Failed, hasFailed, trouble } from './ask.ts'

/** How long a document counts; an older one still does if no newer can be fetched. */
const freshFor: Milliseconds = hours(1)
/** Signatures that only the provider can make: with a shared secret, anyone who knows the client's could. */
const asymmetric = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/

// https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata
const Document = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  userinfo_endpoint: z.optional(z.string()),
  id_token_signing_alg_values_supported: z._default(z.array(z.string()), ['RS256']),
  userinfo_signing_alg_values_supported: z.optional(z.array(z.string())),
  token_endpoint_auth_methods_supported: z._default(z.array(z.string()), ['client_secret_basic']),
  authorization_response_iss_parameter_supported: z._default(z.boolean(), false),
})

/** What a provider says of itself, as far as we use it. */
export type Metadata = {
  authorizeUrl: string
  tokenUrl: string
  keysUrl: string
  userUrl: string | undefined
  secretIn: 'form' | 'header'
  algorithms: readonly string[]
  /** Those of signed answers of the userinfo endpoint. */
  userAlgorithms: readonly string[]
  /** The browser brings the issuer back with it (RFC 9207). */
  returnsIssuer: boolean
}

/** Where the document of an issuer is. */
const addressOf = (issuer: string) => `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`

/** Reads the provider's discovery document when it is first needed, so that neither the start nor other providers wait for it. */
export function discovery(
  issuer: string,
  elapsed: () => Instant,
): (ask: Ask, want?: 'any' | 'fresh') => Promise<Metadata | Failed> {
  let kept: { at: Instant; metadata: Metadata } | undefined
  let running: Promise<Metadata | Failed> | undefined

  async function fetchDocument(ask: Ask): Promise<Metadata | Failed> {
    const answer = await ask(addressOf(issuer), Document, { tries: 2 })
    if (hasFailed(answer)) return answer
    return answer.status === 200
      ? read(issuer, answer.value)
      : trouble(`${addressOf(issuer)} answered ${answer.status}`)
  }

  return async (ask, want = 'any') => {
    if (want === 'any' && kept && elapsed() - kept.at < freshFor) return kept.metadata
    running ??= fetchDocument(ask).finally(() => {
      running = undefined
    })
    const metadata = await running
    if (!hasFailed(metadata)) kept = { at: elapsed(), metadata }
    return hasFailed(metadata) && kept ? kept.metadata : metadata
  }
}

function read(issuer: string, document: z.infer<typeof Document>): Metadata | Failed {
  if (document.issuer !== issuer)
    return trouble(`the discovery document is of the issuer ${document.issuer}, and OIDC_ISSUER is ${issuer}`)
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint } = document
  const endpoints = [authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint ?? token_endpoint]
  const improper = endpoints.find((url) => !isProper(url, issuer))
  if (improper !== undefined)
    return trouble(`the discovery document names ${improper}, which is not as safe as its issuer`)
  const accepted = (names: readonly string[]) => names.filter((name) => asymmetric.test(name))
  const algorithms = accepted(document.id_token_signing_alg_values_supported)
  if (algorithms.length === 0) return trouble('the provider signs ID tokens by no algorithm that can be accepted')
  const methods = document.token_endpoint_auth_methods_supported
  const secretIn = methods.includes('client_secret_basic')
    ? 'header'
    : methods.includes('client_secret_post')
      ? 'form'
      : undefined
  if (!secretIn) return trouble('the provider takes neither client_secret_basic nor client_secret_post')
  return {
    authorizeUrl: authorization_endpoint,
    tokenUrl: token_endpoint,
    keysUrl: jwks_uri,
    userUrl: userinfo_endpoint,
    secretIn,
    algorithms,
    userAlgorithms: accepted(document.userinfo_signing_alg_values_supported ?? algorithms),
    returnsIssuer: document.authorization_response_iss_parameter_supported,
  }
}

/** Only an issuer without TLS may name endpoints without it. */
function isProper(text: string, issuer: string): boolean {
  const url = URL.parse(text)
  if (!url || url.username || url.password) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && issuer.startsWith('http:'))
}
