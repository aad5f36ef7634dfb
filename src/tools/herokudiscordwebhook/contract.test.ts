import { expect, test } from 'vitest'
import { maskOf, webhookOf, webhookUrl } from '../../shared/urls/discord-webhook.ts'
import { herokudiscordwebhook } from './contract.ts'

const id = '123456789012345678'
const token = `${'x'.repeat(60)}_abcd-EF`

test.each([
  `https://discord.com/api/webhooks/${id}/${token}`,
  `https://discordapp.com/api/webhooks/${id}/${token}`,
  `https://ptb.discord.com/api/v10/webhooks/${id}/${token}`,
  `https://canary.discord.com/api/v9/webhooks/${id}/${token}/`,
  ` https://www.discord.com/api/webhooks/${id}/${token}?wait=true#x `,
])('%s is a webhook URL', (text) => {
  expect(webhookOf(text)).toEqual({ id, token, threadId: null })
})

test('the thread id is read from a webhook URL, and ignored if invalid', () => {
  const url = webhookUrl({ id, token })
  expect(webhookOf(`${url}?thread_id=987654321098765432`)?.threadId).toBe('987654321098765432')
  expect(webhookOf(`${url}?thread_id=general`)?.threadId).toBeNull()
})

test.each([
  `http://discord.com/api/webhooks/${id}/${token}`,
  `https://user@discord.com/api/webhooks/${id}/${token}`,
  `https://discord.com:8443/api/webhooks/${id}/${token}`,
  `https://discord.com.evil.example/api/webhooks/${id}/${token}`,
  `https://evildiscord.com/api/webhooks/${id}/${token}`,
  `https://discord.com/api/webhooks/${id}`,
  `https://discord.com/api/webhooks/${id}/${token}/slack`,
  `https://discord.com/api/webhooks/${id}/${token}/../x`,
  `https://discord.com/api/channels/${id}`,
  'nonsense',
])('%s is not a webhook URL', (text) => {
  expect(webhookOf(text)).toBeUndefined()
})

test.each([
  [`https://discord.com/channels/${id}/${id}`, 'This is a link to a channel'],
  ['https://discord.gg/AbCdEf', 'This is a link to a channel'],
  ['https://ptb.discord.com/invite/AbCdEf', 'This is a link to a channel'],
  [`${'x'.repeat(26)}.Gabcde.${'y'.repeat(38)}`, 'This looks like a bot token'],
  [`http://discord.com/api/webhooks/${id}/${token}`, 'Enter the URL with https://'],
  [`https://discord.com/api/webhooks/${id}/${token}/slack`, 'Remove /slack'],
  [`https://discord.com/api/webhooks/${id}/${token.slice(0, 20)}`, 'Part of this webhook URL is missing'],
  [`https://discord.com/api/webhooks/${id}`, 'Part of this webhook URL is missing'],
  ['http://example.com/api/webhooks/1/2', 'Enter a Discord webhook URL'],
  ['general', 'Enter a Discord webhook URL'],
])('%s is rejected with a specific error', (discordHook, why) => {
  const { error } = herokudiscordwebhook.Settings.shape.discordHook.safeParse(discordHook)
  expect(error?.issues.map(({ message }) => message)).toEqual([expect.stringContaining(why)])
})

test('a mask shows the beginning of the id and the end of the token', () => {
  expect(maskOf({ id, token })).toBe('https://discord.com/api/webhooks/1234…/••••d-EF')
})
