import { spawn } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { freePort } from './free-port.ts'
import { trackProcess } from './program.ts'
import { temporaryFolder } from './temporary-folder.ts'

type Act = { type: string; [option: string]: unknown }
/** Key or pointer actions, in the format that WebDriver and WebDriver BiDi share. */
type Input = { type: 'key' | 'pointer'; id: string; actions: readonly Act[] }

export type Tab = {
  open(url: string): Promise<unknown>
  evaluate<T>(expression: string): Promise<T>
  perform(input: Input): Promise<unknown>
  close(): Promise<unknown>
}

const firefox = '/usr/bin/firefox-esr'
const webkit = {
  driver: '/usr/bin/WebKitWebDriver',
  screen: '/usr/bin/Xvfb',
  browser: globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser')[0] ?? '',
}
const driverTimeout = 30_000

function start(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const { isRunning, printed } = trackProcess(child)
  return {
    end: () => void child.kill('SIGKILL'),
    /** Resolves to the first group of this pattern once the output matches it. */
    async waitForOutput(pattern: RegExp): Promise<string> {
      for (;;) {
        const found = pattern.exec(printed())
        if (found) return found[1] ?? ''
        if (!isRunning()) throw new Error(`It ended at once:\n${printed()}`)
        await new Promise((resolve) => setTimeout(resolve, 25))
      }
    },
  }
}

/** Starts Firefox, controlled by its built-in WebDriver BiDi; undefined if it is not installed. */
export async function startFirefox(): Promise<Tab | undefined> {
  if (!existsSync(firefox)) return undefined
  const home = temporaryFolder()
  const args = ['--headless', '--remote-debugging-port=0', '--profile', home]
  const { end, waitForOutput } = start(firefox, args, { HOME: home, MOZ_DISABLE_CONTENT_SANDBOX: '1' })
  const socket = new WebSocket(`${await waitForOutput(/BiDi listening on (ws:\S+)/)}/session`)
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const waiting = new Map<number, (answer: { result: never; error?: string; message?: string }) => void>()
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(data)
    waiting.get(answer.id)?.(answer)
  })
  let calls = 0
  const call = async <T>(method: string, params: object): Promise<T> => {
    calls += 1
    const id = calls
    socket.send(JSON.stringify({ id, method, params }))
    const { result, error, message } = await new Promise<{ result: never; error?: string; message?: string }>(
      (resolve) => waiting.set(id, resolve),
    )
    if (error) throw new Error(`${method}: ${message}`)
    return result
  }
  await call('session.new', { capabilities: {} })
  const { contexts } = await call<{ contexts: { context: string }[] }>('browsingContext.getTree', {})
  const context = contexts[0]!.context
  return {
    open: (url) => call('browsingContext.navigate', { context, url, wait: 'complete' }),
    async evaluate(expression) {
      const script = { expression: `JSON.stringify(${expression})`, target: { context }, awaitPromise: true }
      const { result } = await call<{ result: { value?: string } }>('script.evaluate', script)
      return JSON.parse(result?.value ?? 'null')
    },
    perform: (input) => call('input.performActions', { context, actions: [input] }),
    async close() {
      socket.close()
      end()
    },
  }
}

/** Starts WebKitGTK, controlled by its WebDriver, on a virtual screen; undefined if any of these is not installed. */
export async function startWebkit(): Promise<Tab | undefined> {
  if (!Object.values(webkit).every(existsSync)) return undefined
  const screen = start(webkit.screen, ['-displayfd', '1', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'])
  const display = await screen.waitForOutput(/(\d+)\n/)
  const port = await freePort()
  const env = { DISPLAY: `:${display}`, HOME: temporaryFolder(), LIBGL_ALWAYS_SOFTWARE: '1' }
  const driver = start(webkit.driver, [`--port=${port}`], env)
  const root = `http://127.0.0.1:${port}/session`
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(root + path, { method, ...(body && { body: JSON.stringify(body) }) })
    const { value } = (await answer.json()) as { value: T & { message?: string } }
    if (!answer.ok) throw new Error(`${path}: ${value.message}`)
    return value
  }
  const options = { binary: webkit.browser, args: ['--automation'] }
  const alwaysMatch = { 'webkitgtk:browserOptions': options }
  const until = Date.now() + driverTimeout
  const begin = async (): Promise<{ sessionId: string }> => {
    try {
      return await call('POST', '', { capabilities: { alwaysMatch } })
    } catch (error) {
      if (Date.now() > until || !(error instanceof TypeError)) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
      return begin()
    }
  }
  const { sessionId } = await begin()
  return {
    open: (url) => call('POST', `/${sessionId}/url`, { url }),
    async evaluate(expression) {
      const script = `return Promise.resolve(${expression}).then(JSON.stringify)`
      return JSON.parse(
        (await call<string | null>('POST', `/${sessionId}/execute/sync`, { script, args: [] })) ?? 'null',
      )
    },
    perform: (input) => call('POST', `/${sessionId}/actions`, { actions: [input] }),
    async close() {
      await call('DELETE', `/${sessionId}`)
      driver.end()
      screen.end()
    },
  }
}
