import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installNeeded } from '../../scripts/install.mjs'
import { freePort } from './free-port.ts'
import { trackProcess } from './program.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The minimal environment of a ToolBox process. The shared compile cache halves its start time. */
export const processEnv = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: join(root, '.tmp', 'compiled') }

/** Node flags that make password hashing cheap, for tests that are not about passwords. */
export const cheapPasswordFlags = ['--import', new URL('cheap-passwords-preload.ts', import.meta.url).href]

export const admin = { email: 'ada@example.com', username: 'ada', password: 'correct horse battery' }
export const adminEnv = { ADMIN_EMAIL: admin.email, ADMIN_USERNAME: admin.username, ADMIN_PASSWORD: admin.password }

let built: Promise<unknown> | undefined
/** Builds the server from the current sources, once per test process, and returns the path of its main file. */
export async function buildServer(): Promise<string> {
  built ??= installNeeded({ built: true })
  await built
  return join(root, 'dist-server/main.js')
}

/** Starts ToolBox in a process, on PORT or a free port: the built server, or the sources of another `tree`. */
export async function startProcess(
  env: Record<string, string>,
  flags: readonly string[] = cheapPasswordFlags,
  tree?: string,
) {
  const port = env.PORT ?? (await freePort())
  const program = tree ? 'src/main.ts' : await buildServer()
  const child = spawn(process.execPath, [...flags, program], {
    cwd: tree ?? root,
    env: { ...processEnv, PORT: String(port), ALLOW_PRIVATE_CIDRS: '127.0.0.0/8', ...env },
  })
  return waitUntilReady(child, Number(port))
}

/** Waits until an already started ToolBox process is ready on this port. */
export async function waitUntilReady(child: ChildProcess, port: number) {
  const { isRunning, printed } = trackProcess(child)
  const url = `http://localhost:${port}`
  await pollReadiness(url, child, printed)
  return {
    url,
    printed,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    async end(signal: 'SIGTERM' | 'SIGKILL') {
      if (!isRunning()) return child.exitCode
      child.kill(signal)
      const [code] = await once(child, 'exit')
      return code as number | null
    },
  }
}
export type Process = Awaited<ReturnType<typeof startProcess>>

async function pollReadiness(url: string, child: ChildProcess, printed: () => string) {
  for (let tries = 0; tries < 1_800; tries++) {
    if (child.exitCode !== null) throw new Error(`It ended at once:\n${printed()}`)
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  child.kill('SIGKILL')
  throw new Error(`It is not ready after 90 s:\n${printed()}`)
}

export async function signIn(url: string, { username, password }: Omit<typeof admin, 'email'> = admin) {
  const answer = await fetch(`${url}/api/auth/sign-in/username`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  if (!answer.ok) throw new Error(`Sign-in answered ${answer.status}: ${await answer.text()}`)
  const jar = new Map(
    answer.headers.getSetCookie().map((line) => line.split(';', 1)[0]!.split(/=(.*)/s, 2) as [string, string]),
  )
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  return { cookie, 'x-xsrf-token': jar.get('XSRF-TOKEN') ?? '' }
}

export async function signedInClient(url: string, who: Omit<typeof admin, 'email'> = admin) {
  const headers = { ...(await signIn(url, who)), 'content-type': 'application/json' }
  return async <Body = unknown>(method: string, path: string, body?: object) => {
    const reply = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    const text = await reply.text()
    return { status: reply.status, body: JSON.parse(text || 'null') as Body }
  }
}
