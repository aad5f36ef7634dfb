import { expect, test } from 'vitest'
import { browser } from '../../../test/support/people.ts'
import { mailScene } from '../../../test/support/scenes/mail-scene.ts'

const { box } = await mailScene('sqlite', { SMTP_URL: '' })

test('without a mail server, a reset request is rejected with advice to ask an admin', async () => {
  const answer = await browser(box.app).post('/api/v1/auth/forgotten', { email: 'ada@example.com' })
  expect([answer.status, answer.body.error]).toEqual([409, expect.stringContaining('Ask an admin')])
  expect((await browser(box.app).get('/api/v1/config')).body.sendsMail).toBe(false)
})
