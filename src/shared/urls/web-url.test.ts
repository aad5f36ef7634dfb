import { expect, test } from 'vitest'
import { webhookMistake } from './discord-webhook.ts'
import { webUrlMistake } from './web-url.ts'

const token = 'a'.repeat(68)

test.each([...'\n\r\t\0\u0007\u007f\u0085\u061c\u200e\u200f\u2028\u202e\u2066'])(
  'rejects a URL that contains %j',
  (sign) => {
    expect(webUrlMistake(`https://a.example/b${sign}c`)).toMatch(/control characters/)
    expect(webUrlMistake(`https://a${sign}.example/`)).toMatch(/control characters/)
    expect(webhookMistake(`https://discord.com/api/webhooks/123456789012345678/${sign}${token}`)).toBeDefined()
  },
)

test('accepts a URL with any other character', () => {
  expect(webUrlMistake('https://пример.рф/ü?q=“x”&b=%0A#👍')).toBeUndefined()
  expect(webhookMistake(`https://discord.com/api/webhooks/123456789012345678/${token}`)).toBeUndefined()
})
