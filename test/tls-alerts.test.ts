import { afterAll, expect, onTestFinished, test } from 'vitest'
import { days, hours, minutes, seconds } from '../src/shared/time.ts'
import { startTlsAlertServer } from './support/fakes/fake-web.ts'
import { channelbox } from './support/scenes/channel-scene.ts'
import { ghmdbox } from './support/scenes/ghmd-scene.ts'
import { relaybox, release } from './support/scenes/relay/relay.ts'

const why = 'tls: handshake refused'
const web = await startTlsAlertServer(40)
afterAll(() => void web.close())

type Caller = { get: (url: string) => Promise<{ body: { items: { message: string }[] } }> }
const inbox = async (ada: Caller) => (await ada.get('/api/v1/user/inbox')).body.items.map(({ message }) => message)

test('retries an event that Discord rejects with a TLS alert like any failure, and notifies its owner', async () => {
  const box = await relaybox('sqlite', { DISCORD_URL: web.origin })
  onTestFinished(box.close)
  const relay = await box.relay(box.discord.webhook(), { notifyAfter: 1 })
  await box.deliver(relay, release(1))
  const before = web.visits()
  for (const wait of [0, seconds(5), seconds(30), days(1)]) {
    box.pass(wait)
    await box.work.runDue()
  }
  expect(web.visits() - before).toBe(3)
  expect(await box.deliveries(relay.id)).toMatchObject([{ state: 'held', note: expect.stringContaining(why) }])
  expect(await inbox(box.ada)).toContainEqual(expect.stringContaining(why))
})

test('a channel whose service rejects with a TLS alert fails, and is switched off after a day', async () => {
  const box = await channelbox('sqlite')
  onTestFinished(box.close)
  const { id } = await box.channel('webhook', { url: `${web.origin}/` })
  await box.fail('Shop')
  const before = web.visits()
  await box.wait(seconds(10))
  expect(await box.read(id)).toMatchObject({ lastError: expect.stringContaining(why), failingSince: box.now() })
  for (let past = 0; past < 30; past += 1) await box.wait(hours(1))
  expect(await box.read(id)).toMatchObject({ status: false })
  expect(web.visits() - before).toBeLessThan(30)
  expect(await inbox(box.ada)).toContainEqual(expect.stringContaining(why))
})

test.each(['GITHUB_URL', 'GITHUB_CAMO_URL'])(
  'a TLS alert from %s fails a run of GHMD Invalidator, which is not repeated before its next interval',
  async (name) => {
    const house = await ghmdbox('sqlite', undefined, { [name]: web.origin })
    onTestFinished(house.close)
    const { github, box, read } = house
    const at = (url: string) => (name === 'GITHUB_URL' ? web.origin + new URL(url).pathname : url)
    const image = github.image(house.origin('build')).replace(github.env.GITHUB_CAMO_URL, web.origin)
    const { run, id } = await house.firstRun(at(github.page(house.path(), [image])))
    expect(run).toMatchObject({ success: false, note: expect.stringContaining(why) })
    const before = web.visits()
    box.pass(minutes(10))
    await box.work.runDue()
    expect(web.visits()).toBe(before)
    box.pass(hours(12))
    await box.work.runDue()
    expect((await read(id)).history).toHaveLength(2)
    expect(await inbox(house.ada)).toContainEqual(expect.stringContaining(why))
  },
)
