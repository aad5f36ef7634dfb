import { describe, expect, test, vi } from 'vitest'
import { channelScene } from '../../../test/support/scenes/channel-scene.ts'
import { seconds } from '../../shared/time.ts'

const scene = await channelScene('sqlite')

test('offers email with a mail server, and sends no messages until the address is confirmed', async () => {
  const box = scene
  const { id } = await box.channel('email', { to: 'ada@home.example' })
  await box.fail('Shop')
  await box.wait(seconds(10))
  expect(box.smtp.mails).toHaveLength(1)
  const { to, source } = box.smtp.mails[0]!
  expect(to).toEqual(['ada@home.example'])
  const token = /confirm-email#([\w-]{43})/.exec(source.replaceAll('=\n', ''))?.[1]
  expect(await box.read(id)).toMatchObject({ confirmed: false })
  expect((await box.ada.post(`${box.path}/confirm`, { token: `${token}x` })).status).toBe(403)
  // The link is opened during an edit, which must keep the confirmation.
  const { q } = box.db
  const begin = q.transaction.bind(q)
  vi.spyOn(q, 'transaction').mockImplementationOnce(() => {
    const transaction = begin()
    const execute = transaction.execute.bind(transaction)
    transaction.execute = async (work) => {
      expect(await box.ada.post(`${box.path}/confirm`, { token })).toMatchObject({
        status: 200,
        body: { to: 'ada@home.example' },
      })
      return execute(work)
    }
    return transaction
  })
  expect((await box.ada.patch(box.path, { id, name: 'Home' })).body).toMatchObject({ name: 'Home', confirmed: true })
  expect((await box.ada.post(`${box.path}/confirm`, { token })).status).toBe(403)
  await box.fail('Shop', 'Blog')
  await box.wait(seconds(10))
  expect(box.smtp.mails).toHaveLength(2)
  expect(box.smtp.mails[1]!.source).toContain('Subject: [ToolBox] 2 entries are failing')
  expect(box.smtp.mails[1]!.source).toMatch(/^Message-ID: <msg_[0-9a-f]{32}@localhost>$/im)
  const ends = /^List-Unsubscribe: <http:\/\/localhost:3000\/user>$/im
  expect([source, box.smtp.mails[1]!.source].map((mail) => ends.test(mail))).toEqual([false, true])
  expect(box.smtp.mails[1]!.source).toMatch(/^List-ID: ToolBox notices <notices.localhost>$/im)
  await box.ada.post(`${box.path}/test?id=${id}`)
  await box.ada.patch(box.path, { id, settings: { to: 'other@home.example' } })
  expect(await box.read(id)).toMatchObject({ confirmed: false })
  await box.wait(0)
  expect(box.smtp.mails).toHaveLength(3)
  expect(box.smtp.mails[2]).toMatchObject({ to: ['other@home.example'], source: expect.stringContaining('confirm') })
})

describe('without a mail server', async () => {
  const scene = await channelScene('sqlite', { SMTP_URL: '', MAIL_FROM: '' })
  test('email is not offered', async () => {
    const { ada, path } = scene
    const { body } = await ada.get(`${path}/types`)
    expect(body.map(({ id }: { id: string }) => id)).not.toContain('email')
    const answer = await ada.post(path, { type: 'email', settings: { to: 'a@b.example' } })
    expect(answer).toMatchObject({ status: 400, body: { fields: { type: expect.stringContaining('SMTP_URL') } } })
  })
})
