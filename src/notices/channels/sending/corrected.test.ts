import { describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { channelScene } from '../../../../test/support/scenes/channel-scene.ts'
import { hours, seconds } from '../../../shared/time.ts'
import { Active, Inactive } from '../../../shared/user.ts'

describe.each(dialects)('a channel that is corrected on %s', async (dialect) => {
  const scene = await channelScene(dialect)

  /** Creates a channel whose webhook hangs, and a second webhook to correct it to. */
  async function hanging(more: object = {}) {
    const { discord, channel } = scene
    const [wrong, right] = [discord.webhook(), discord.webhook()]
    discord.answers(wrong, 'hang')
    const { id } = await channel('discord', { url: wrong.url }, more)
    return {
      id,
      right,
      correct: () => scene.ada.patch(scene.path, { id, settings: { url: right.url } }),
      send: async () => expect((await scene.ada.post(`${scene.path}/test?id=${id}`)).status).toBe(202),
    }
  }
  const hangs = () => expect.poll(() => scene.discord.hanging()).toBe(1)

  test('tests its new address while a test of the old one hangs, and does not show the old error', async () => {
    const { id, right, correct, send } = await hanging()
    await send()
    const first = scene.work.runDue()
    await hangs()
    await correct()
    await send()
    const second = scene.work.runDue()
    await expect.poll(() => scene.discord.postedTitles(right)).toHaveLength(1)
    scene.discord.denyHanging()
    await Promise.all([first, second])
    expect(await scene.read(id)).toMatchObject({ lastError: null, failingSince: null, lastSentAt: scene.now() })
  })

  test('shows no error of the old address after the correction, for tests and notices', async () => {
    for (const what of ['a test', 'news']) {
      const { id, correct, send } = await hanging()
      if (what === 'a test') await send()
      else await scene.fail('Shop')
      scene.pass(seconds(10))
      const work = scene.work.runDue()
      await hangs()
      await correct()
      scene.discord.denyHanging()
      await work
      expect(await scene.read(id), what).toMatchObject({ lastError: null, failingSince: null })
    }
  })

  test('keeps the error of its new address when a message is accepted at the old one', async () => {
    const { id, correct } = await hanging()
    await scene.fail('Shop')
    scene.pass(seconds(10))
    const news = scene.work.runDue()
    await hangs()
    await correct()
    await scene.db.q.updateTable('channel').set({ last_error: 'answered 403' }).where('id', '=', id).execute()
    scene.discord.acceptHanging()
    await news
    expect(await scene.read(id)).toMatchObject({ lastError: 'answered 403' })
  })

  test('shows the result of a test even if it was renamed meanwhile', async () => {
    const { id, send } = await hanging()
    await send()
    const work = scene.work.runDue()
    await hangs()
    await scene.ada.patch(scene.path, { id, name: 'Ops' })
    scene.discord.denyHanging()
    await work
    expect(await scene.read(id)).toMatchObject({ lastError: expect.stringContaining('404') })
  })

  test('sends another link on each request while the previous mail is still queued', async () => {
    const { ada, path, channel, smtp, wait, work } = scene
    smtp.setRecipientReply('451 later')
    const { id } = await channel('email', { to: 'ada@home.example' })
    await work.runDue()
    smtp.setRecipientReply('250 OK')
    expect((await ada.post(`${path}/test?id=${id}`)).status).toBe(202)
    await wait(0)
    expect(smtp.mails).toHaveLength(1)
  })
})

describe.each(dialects)('reminders of lasting failures on %s', async (dialect) => {
  const scene = await channelScene(dialect)
  const setStatus = (status: number) =>
    scene.db.q.updateTable('users').set({ status }).where('id', '=', scene.adaUser.id).execute()

  /** Creates a failing entry of Ada's, and a channel that reminds her of it. */
  async function reminded(more: object = {}) {
    const { ada, path, services, channel } = scene
    await scene.openIncident()
    const { id } = await channel('slack', services.slack(), { remindEvery: 4, ...more })
    await ada.patch(path, { id, remindEvery: 5 })
    return id
  }
  const sent = () => scene.services.received.length

  test('continue once their user is active again', async () => {
    await reminded()
    await setStatus(Inactive)
    await scene.wait(hours(5))
    await setStatus(Active)
    expect(sent()).toBe(0)
    await scene.wait(hours(5))
    expect(sent()).toBe(1)
  })

  test('begin when the channel is edited to cover the failing entry', async () => {
    const id = await reminded({ tools: ['herokudiscordwebhook'] })
    await scene.wait(hours(5))
    expect([sent(), (await scene.db.q.selectFrom('job').select('id').execute()).length]).toEqual([0, 0])
    await scene.ada.patch(scene.path, { id, tools: null })
    await scene.wait(hours(5))
    expect(sent()).toBe(1)
  })

  test('wait for the end of quiet hours, and are sent immediately when these are removed', async () => {
    const { now } = scene
    const quiet = { zone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '23:59' }
    const id = await reminded({ quiet })
    await scene.wait(hours(5))
    expect(sent()).toBe(0)
    await scene.ada.patch(scene.path, { id, quiet: null })
    await scene.work.runDue()
    expect([sent(), (await scene.read(id)).lastSentAt]).toEqual([1, now()])
  })
})
