import * as z from 'zod/mini'
import type { Config } from '../../platform/config/config.ts'
import { type Ask, hasFailed, toProviderFailure } from './ask.ts'
import type { ApiProvider } from './provider.ts'
import { AccountName, usableEmail, usableName } from './provider.ts'

// https://discord.com/developers/docs/resources/user#user-object
const User = z.object({
  id: z.string().check(z.regex(/^\d{1,30}$/)),
  username: AccountName,
  global_name: z.nullish(z.string()),
  email: z.nullish(z.string()),
  verified: z.nullish(z.boolean()),
})

export const discord = (client: ApiProvider['client'], { discordUrl }: Pick<Config, 'discordUrl'>): ApiProvider => ({
  id: '001_Discord',
  name: 'Discord',
  client,
  scopes: ['identify', 'email'],
  authorizeUrl: `${discordUrl}/oauth2/authorize`,
  tokenUrl: `${discordUrl}/api/oauth2/token`,
  async identityOf(ask: Ask, token: string) {
    const url = `${discordUrl}/api/v10/users/@me`
    const answer = await ask(url, User, { headers: { authorization: `Bearer ${token}` } })
    if (hasFailed(answer)) return answer
    if (answer.status !== 200) return toProviderFailure(`${url} answered ${answer.status}`)
    const { id, username, global_name, email, verified } = answer.value
    return {
      accountId: id,
      username,
      name: usableName(global_name, username),
      email: usableEmail(email, verified === true),
    }
  },
})
