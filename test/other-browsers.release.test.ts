import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { fakeDiscord } from './support/fakes/fake-discord.ts'
import { startFirefox, startWebkit, type Tab } from './support/other-browsers.ts'
import { startTarget } from './support/page/target.ts'
import { admin, adminEnv, startProcess } from './support/process.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

let server: Awaited<ReturnType<typeof startProcess>>
const [target, discord] = [await startTarget(), await fakeDiscord()]
beforeAll(async () => {
  server = await startProcess({ DATA_DIR: temporaryFolder(), ...adminEnv, ...discord.env })
})
afterAll(async () => {
  await server?.end('SIGTERM')
  await Promise.all([target.stop(), discord.close()])
})

/** An expression that finds the visible link, button, menu item or field with this name. */
const named = (name: string) =>
  `[...document.querySelectorAll('a, button, input, textarea, [role=menuitem]')].find((one) => one.checkVisibility() &&
    [one.ariaLabel, one.innerText, one.labels?.[0]?.innerText].some((text) => text?.trim() === ${JSON.stringify(name)}))`

function user(tab: Tab) {
  const is = (expression: string) =>
    expect.poll(() => tab.evaluate<boolean>(expression), { message: expression }).toBe(true)
  const at = (path: string) => is(`location.pathname === '${path}'`)
  const reads = (text: string) => is(`document.body.innerText.includes(${JSON.stringify(text)})`)
  async function press(name: string) {
    await is(`Boolean(${named(name)})`)
    const place = `(({ left, top, width, height }) => ({ x: Math.round(left + width / 2), y: Math.round(top + height / 2) }))`
    await tab.evaluate(`${named(name)}.scrollIntoView({ block: 'center', behavior: 'instant' }) ?? null`)
    // An opening menu moves: wait until it is still.
    let position = { x: 0, y: 0 }
    const stands = async () => {
      const { x, y } = position
      position = await tab.evaluate<typeof position>(`${place}(${named(name)}.getBoundingClientRect())`)
      return x === position.x && y === position.y
    }
    await expect.poll(stands).toBe(true)
    const button = { button: 0 }
    await tab.perform({
      ...{ type: 'pointer', id: 'mouse' },
      actions: [
        { type: 'pointerMove', ...position },
        { type: 'pointerDown', ...button },
        { type: 'pointerUp', ...button },
      ],
    })
  }
  const hit = (...keys: string[]) => {
    const actions = keys.flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value })))
    return tab.perform({ type: 'key', id: 'keys', actions })
  }
  async function fill(name: string, text: string) {
    await press(name)
    await is(`document.activeElement === ${named(name)}`)
    await tab.evaluate('document.activeElement.select() ?? null')
    await hit(...text)
    await is(`${named(name)}.value === ${JSON.stringify(text)}`)
  }
  return { is, at, reads, press, hit, fill, open: (path: string) => tab.open(server.url + path) }
}

test.for([
  // Firefox's back/forward cache keeps no page with an event stream, even if the stream closes on leaving.
  ['Firefox', startFirefox, false],
  ['WebKitGTK', startWebkit, true],
] as const)('%s can use the main screens', { timeout: 300_000 }, async ([name, start, keepsPages], { skip }) => {
  const tab = (await start()) ?? skip(`${name} is not installed.`)
  onTestFinished(async () => void (await tab.close()))
  const { is, at, reads, press, hit, fill, open } = user(tab)

  await open('/auth/signin/user')
  await fill('Username', admin.username)
  await fill('Password', admin.password)
  await press('Sign in with Credentials')
  await reads(`Welcome ${admin.username}`)

  await open('/tools/keepalive/create')
  await fill('URL', target.url(`/${name}`))
  await press('Save')
  await at('/tools/keepalive/modify')
  await reads('SUCCESS')
  await fill('Name', `In ${name}`)
  await press('Save')
  await reads('Successfully updated entry.')

  // If the browser keeps pages, typed text survives a visit to a page outside the app.
  await fill('Name', 'Half a na')
  // WebKit keeps no page that is loading something, and data changed by the save is fetched a little later.
  const loadedAt = "Math.max(...performance.getEntriesByType('resource').map(({ responseEnd }) => responseEnd))"
  await is(`performance.now() - ${loadedAt} > 3_000`)
  await open('/docs')
  await tab.evaluate('history.back() ?? null')
  await is(keepsPages ? `${named('Name')}?.value === 'Half a na'` : `${named('Name')}?.value === 'In ${name}'`)
  if (keepsPages) await press('Reset')

  await open('/tools/keepalive/viewlist')
  await press(`Select In ${name}`)
  await press('Pause')
  await reads(`In ${name} paused.`)
  await press('Undo')
  await reads('Active')

  await open('/tools/herokudiscordwebhook/create')
  await fill('Discord Webhook URL', discord.webhook().url)
  await press('Save')
  await at('/tools/herokudiscordwebhook/modify')
  await reads('Waiting for the first delivery')

  await open('/tools/analyticsbadge')
  await fill('Analytics Tag', `in_${name.toLowerCase()}`)
  await is(`document.querySelector('section[aria-label=Preview] img')?.naturalWidth > 0`)
  await is(`${named('URL')}.value.includes('in_${name.toLowerCase()}')`)
  await tab.evaluate(`document.querySelector('main input[type=radio]').focus() ?? null`)
  await hit('\uE014')
  await is('document.activeElement.checked')
  // Headless Firefox has no focused window and draws no focus ring.
  const ring = `getComputedStyle(document.activeElement.closest('label')).outlineStyle`
  await is(`!document.hasFocus() || ${ring} === 'solid'`)
  const calls = `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)`
  for (const path of ['/api/v1/auth/session', '/api/v1/config'])
    expect(await tab.evaluate(`${calls}.filter((one) => one === '${path}').length`), path).toBe(1)

  await press(admin.username)
  await press('Sign out')
  await reads("It's hard to know who anyone is")
})
