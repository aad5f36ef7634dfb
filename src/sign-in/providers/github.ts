import * as z from 'zod/mini'
import type { Config } from '../../platform/config/config.ts'
import { type Ask, hasFailed, type ProviderFailure, toProviderFailure } from './ask.ts'
import type { ApiProvider, Identity } from './provider.ts'
import { AccountName, usableEmail, usableName } from './provider.ts'

// https://docs.github.com/rest/users/users and /rest/users/emails
const User = z.object({
  id: z.int().check(z.positive()),
  login: AccountName,
  name: z.nullish(z.string()),
})
const Emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))
/** Error responses have a different shape. */
const orError = <T>(shape: z.ZodMiniType<T>) => z.union([shape, z.object({ message: z.string() })])
const mostPages = 5

/** GitHub, or GitHub Enterprise at the configured URLs. */
export const github = (
  client: ApiProvider['client'],
  { githubUrl, githubApiUrl }: Pick<Config, 'githubUrl' | 'githubApiUrl'>,
): ApiProvider => ({
  id: '002_Github',
  name: 'GitHub',
  client,
  scopes: ['read:user', 'user:email'],
  authorizeUrl: `${githubUrl}/login/oauth/authorize`,
  tokenUrl: `${githubUrl}/login/oauth/access_token`,
  async identityOf(ask, token) {
    const headers = {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
    }
    const url = `${githubApiUrl}/user`
    const answer = await ask(url, orError(User), { headers })
    if (hasFailed(answer)) return answer
    const { status, value } = answer
    if (status !== 200 || 'message' in value) return toProviderFailure(`${url} answered ${status}`)
    const email = await primaryEmail(ask, `${githubApiUrl}/user/emails`, headers)
    if (email && hasFailed(email)) return email
    return {
      accountId: String(value.id),
      username: value.login,
      name: usableName(value.name, value.login),
      email,
    }
  },
})

/** The user's primary email; the public one on the profile may belong to another person. */
async function primaryEmail(
  ask: Ask,
  url: string,
  headers: Record<string, string>,
): Promise<Identity['email'] | ProviderFailure> {
  for (let page = 1; page <= mostPages; page += 1) {
    const answer = await ask(`${url}?per_page=100&page=${page}`, orError(Emails), { headers })
    if (hasFailed(answer)) return answer
    const { status, value } = answer
    // The user didn't allow us to read their emails.
    if (status === 403 || status === 404) return undefined
    if (status !== 200 || 'message' in value) return toProviderFailure(`${url} answered ${status}`)
    const primary = value.find((one) => one.primary)
    if (primary) return usableEmail(primary.email, primary.verified)
    if (!answer.headers.link?.includes('rel="next"')) return undefined
  }
  return undefined
}
