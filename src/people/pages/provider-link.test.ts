import { expect, it } from 'vitest'
import { providerCatalogue } from '../contract.ts'
import { profileLink, providerName } from './provider-link.ts'

const profiles = providerCatalogue({ discordUrl: 'https://discord.test', githubUrl: 'https://github.test' })
const link = (providerId: string, accountUsername: string | null) => ({ providerId, accountId: '4 2', accountUsername })

it('links a Discord account by its id, and a GitHub account by its username', () => {
  expect(profileLink(profiles, link('001_Discord', 'ada'))).toBe('https://discord.test/users/4%202')
  expect(profileLink(profiles, link('002_Github', 'ada'))).toBe('https://github.test/ada')
})
it('links a password to the user’s own profile', () => {
  expect(profileLink(profiles, link('003_Credentials', 'ada'))).toBe('/user')
})
it('links an OpenID account to the issuer if one is configured', () => {
  const oidc = { name: 'Our Login', issuer: 'https://id.test/a/' }
  const configured = providerCatalogue({ discordUrl: '', githubUrl: '', oidc })
  expect(profileLink(configured, link('004_OIDC', 'ada'))).toBe('https://id.test/a/')
  expect(providerName(configured, '004_OIDC')).toBe('Our Login')
  expect(profileLink(profiles, link('004_OIDC', 'ada'))).toBeUndefined()
  expect(providerName(profiles, '004_OIDC')).toBe('OpenID')
})
it('escapes characters with a special meaning in URLs', () => {
  expect(profileLink(profiles, link('002_Github', "../$&?'"))).toBe("https://github.test/..%2F%24%26%3F'")
})
it('returns no link if a required username is missing or the provider is unknown', () => {
  expect(profileLink(profiles, link('002_Github', null))).toBeUndefined()
  expect(profileLink(profiles, link('009_Other', 'ada'))).toBeUndefined()
})
it('returns the name of a provider, or the id of an unknown one', () => {
  expect(providerName(profiles, '002_Github')).toBe('GitHub')
  expect(providerName(profiles, '009_Other')).toBe('009_Other')
})
