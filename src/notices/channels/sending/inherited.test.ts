import { expect, test } from 'vitest'
import { channelScene } from '../../../../test/support/scenes/channel-scene.ts'
import { seconds } from '../../../shared/time.ts'

const scene = await channelScene('postgres')

test('after a takeover, sends the message whose creation the database completes for the killed instance', async () => {
  const { db, services, fail, wait } = scene
  await scene.channel('slack', services.slack())
  await fail('a')
  // The database completes the statement that the killed instance had started.
  await db.q.transaction().execute(async (tx) => {
    await tx.updateTable('channel_news').set({ message_id: 'msg_of_the_killed' }).execute()
    await wait(seconds(10))
  })
  expect(services.visits).toEqual([])
  await wait(seconds(1))
  expect(services.visits).toHaveLength(1)
  expect(await scene.pending()).toBe(0)
  expect(await db.q.selectFrom('job').select('id').execute()).toEqual([])
})
