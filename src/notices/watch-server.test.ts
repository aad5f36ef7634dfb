import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { createPerson } from '../../test/support/people.ts'
import { toolbox } from '../../test/support/toolbox.ts'
import { minutes, seconds } from '../shared/time.ts'
import { notifyAdminsOnce, watchServer } from './watch-server.ts'

const begun = 'ToolBox has a problem: pings, purges and deliveries are standing still.'
const ended = 'ToolBox has recovered. For 4 min, pings, purges and deliveries stood still.'

describe.each(dialects)('server problems on %s', async (dialect) => {
  let why: string | undefined
  const box = await toolbox(dialect)
  await createPerson(box.context, { roles: { Admin: 2 } })
  await createPerson(box.context, { roles: { Admin: 1 } })
  afterAll(() => box.close())
  beforeEach(async () => {
    why = undefined
    box.pass(minutes(1))
    await box.db.q.deleteFrom('notification').execute()
    await box.db.q.deleteFrom('setting').where('key', '=', 'server trouble').execute()
  })

  /** Calls `look` every five seconds for this time. */
  async function watched(look: () => Promise<void>, ms: number) {
    for (let passed = 0; passed < ms; passed += seconds(5)) {
      box.pass(seconds(5))
      await look()
    }
  }
  const messages = async () =>
    (await box.db.q.selectFrom('notification').select('message').execute()).map((row) => row.message)

  test('notifies admins once of a lasting problem, and once of its end', async () => {
    const look = watchServer(box.context, async () => why)
    why = 'worker'
    await watched(look, seconds(55))
    expect(await messages()).toEqual([])
    await watched(look, minutes(3))
    expect(await messages()).toEqual([begun])
    why = undefined
    await watched(look, minutes(3))
    expect((await messages()).sort()).toEqual([begun, ended])
  })

  test('does not notify admins of short problems', async () => {
    const look = watchServer(box.context, async () => why)
    for (let times = 0; times < 5; times += 1) {
      why = 'locked'
      await watched(look, seconds(30))
      why = undefined
      await watched(look, seconds(5))
    }
    expect(await messages()).toEqual([])
  })

  test('reports a problem that could not be stored once the database works again', async () => {
    let isAway = true
    const notify: typeof box.context.notify = (tx, notices) => {
      if (isAway) throw new Error('The disk is full.')
      return box.context.notify(tx, notices)
    }
    const look = watchServer({ ...box.context, notify }, async () => why)
    why = 'disk'
    await watched(look, minutes(2))
    why = undefined
    await watched(look, seconds(5))
    expect(await messages()).toEqual([])
    isAway = false
    await watched(look, minutes(2))
    expect(await messages()).toEqual(["ToolBox has recovered. For 2 min, the disk was full or couldn't be written to."])
  })

  test('several instances report a problem once, and its end when it has ended for all of them', async () => {
    const troubled = [true, true]
    const looks = troubled.map((_, n) => watchServer(box.context, async () => (troubled[n] ? 'worker' : undefined)))
    const both = async () => void (await Promise.all(looks.map((look) => look())))
    await watched(both, minutes(2))
    expect(await messages()).toEqual([begun])
    troubled[0] = false
    await watched(both, minutes(2))
    expect(await messages()).toEqual([begun])
    troubled[1] = false
    await watched(both, minutes(2))
    expect((await messages()).sort()).toEqual([begun, ended])
  })

  test('reports the end once, even if no instance could store the problem, and after a restart', async () => {
    let isAway = true
    let reports = 0
    const notify: typeof box.context.notify = (tx, notices) => {
      if (isAway) throw new Error('The disk is full.')
      reports += 1
      return box.context.notify(tx, notices)
    }
    const looks = [1, 2].map(() => watchServer({ ...box.context, notify }, async () => why))
    const both = async () => void (await Promise.all(looks.map((look) => look())))
    why = 'disk'
    await watched(both, minutes(2))
    isAway = false
    why = undefined
    await watched(both, minutes(2))
    // Count calls, since the inbox would merge a repeated message.
    expect([reports, await messages()]).toEqual([1, [expect.stringContaining('has recovered')]])
    why = 'locked'
    await watched(both, minutes(2))
    why = undefined
    await watched(
      watchServer(box.context, async () => why),
      minutes(2),
    )
    const words = 'another program kept the database locked'
    expect((await messages()).filter((message) => message.includes(words))).toHaveLength(1)
  })
})

test('sends a one-time notice to admins as soon as there is one', async () => {
  const box = await toolbox('sqlite')
  const notifyAndRead = async () => {
    await notifyAdminsOnce(box.context, 'a warning', 'The disk is not kept.')
    return (await box.db.q.selectFrom('notification').select('message').execute()).map((row) => row.message)
  }
  expect(await notifyAndRead()).toEqual([])
  await createPerson(box.context, { roles: { Admin: 2 } })
  expect(await notifyAndRead()).toEqual(['The disk is not kept.'])
  expect(await notifyAndRead()).toEqual(['The disk is not kept.'])
  await box.close()
})
