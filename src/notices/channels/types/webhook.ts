import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import * as z from 'zod'
import { payloadOf } from '../message.ts'
import { channelType, json, webUrl } from './channel-type.ts'

const prefix = 'whsec_'

/** Standard Webhooks requires 24 to 64 random bytes. */
function isSecret(text: string): boolean {
  const key = text.slice(prefix.length)
  const { length } = Buffer.from(key, 'base64')
  return text.startsWith(prefix) && /^[A-Za-z0-9+/]+={0,2}$/.test(key) && length >= 24 && length <= 64
}

export const webhook = channelType({
  id: 'webhook',
  label: 'Webhook',
  Settings: z.object({
    url: webUrl('Enter the URL that receives the messages.').meta({
      title: 'URL',
      description: 'Receives a signed POST with JSON (Standard Webhooks).',
      format: 'uri',
      // The query may contain a token.
      writeOnly: true,
    }),
    secret: z
      .string()
      .trim()
      .refine(isSecret, 'Enter whsec_ and 24 to 64 bytes as Base64, or leave it empty to generate one.')
      .optional()
      .meta({
        title: 'Signing secret',
        description: 'Leave empty to generate one. It is shown only once.',
        writeOnly: true,
      }),
  }),
  complete: (settings) => ({ ...settings, secret: settings.secret ?? prefix + randomBytes(32).toString('base64') }),
  mask: (secret) => (secret.startsWith(prefix) ? `${prefix}••••${secret.slice(-4)}` : secret.replace(/\?.*/, '?••••')),
  request({ url, secret = '' }, message, { at }) {
    const body = JSON.stringify(payloadOf(message))
    const signature = new Webhook(secret).sign(message.id, new Date(at), body)
    const signed = {
      'webhook-id': message.id,
      'webhook-timestamp': String(Math.floor(at / 1_000)),
      'webhook-signature': signature,
    }
    return { url, headers: { ...json, ...signed }, body }
  },
})
