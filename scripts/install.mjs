// Installs what a command needs: Node, packages and the built page, each once and by one process at a time.
import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMusl, nodePackage, npmCall, oldestNode, ownEnvironment, withPath } from './machine.mjs'
import { builtSources, isDone, markDone, sourcesHash, withLock } from './prepare.mjs'

export const root = fileURLToPath(new URL('..', import.meta.url))
export const say = (line) => void process.stderr.write(`ToolBox: ${line}\n`)

export const env = ownEnvironment(process.env)
// With the compile cache, a start takes a third less time and memory.
env.NODE_COMPILE_CACHE ??= join(root, '.node', 'compile-cache')
export const envFor = (node) => withPath(env, dirname(node), process.platform)

const quietFlags = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']

let child
export const runningChild = () => child
/** Runs a program to its end, and makes it available as `runningChild()` so that signals can be passed on. */
export function run(program, args, options) {
  return new Promise((resolve) => {
    child = spawn(program, args, options)
    child.on('error', (error) => {
      say(`${program} does not start: ${error.message}`)
      resolve({ code: 1 })
    })
    child.on('exit', (code, signal) => resolve({ code, signal }))
  })
}

/** Something that can't be installed; the message explains what to do. */
class CannotInstall extends Error {}

/** Returns the path of a Node that is new enough: the running one, or one that it installs. */
async function installNode() {
  if (Number(process.versions.node.split('.')[0]) >= oldestNode) return process.execPath
  const { platform, arch } = process
  const nodeForSystem = nodePackage({ platform, arch, isMusl: isMusl(platform, () => process.report.getReport()) })
  const why = `this machine has Node ${process.versions.node}, and ToolBox needs ${oldestNode} or newer`
  if (!nodeForSystem)
    throw new CannotInstall(`${why}. npm has none for ${platform} ${arch}: install it from https://nodejs.org.`)
  const { name, version, file } = nodeForSystem
  const folder = join(root, '.node', version)
  const node = join(folder, file)
  const stamp = join(folder, '.done')
  const isThere = () => existsSync(node) && isDone(stamp, name)
  if (isThere()) return node
  await holdingLock(why, async () => {
    if (isThere()) return
    say(`downloading Node ${version} into .node (once; this machine has ${process.versions.node})`)
    mkdirSync(folder, { recursive: true })
    const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', ...quietFlags]
    await npm(process.execPath, ['install', '--prefix', folder, ...flags, `${name}@${version}`])
    markDone(stamp, name)
  })
  return node
}

async function installPackages(node) {
  const stamp = join(root, 'node_modules', '.toolbox-stamp')
  const hash = sourcesHash(root, ['package-lock.json'])
  if (isDone(stamp, hash) || isFixed('node_modules')) return
  await holdingLock('the packages are missing', async () => {
    if (isDone(stamp, hash)) return
    say('installing packages from the lock file')
    // The build needs the dev dependencies even if NODE_ENV is production.
    await npm(node, ['ci', '--include=dev', ...quietFlags])
    markDone(stamp, hash)
  })
}

async function build(node) {
  const stamp = join(root, 'dist', '.stamp')
  const hash = sourcesHash(root, builtSources)
  if (isDone(stamp, hash) || isFixed(join('dist-server', 'main.js'))) return
  await holdingLock('the page and the server are not built', async () => {
    if (isDone(stamp, hash)) return
    say('building the page and the server')
    // Vite first empties dist, including the stamp, so an interrupted build is repeated.
    await requireSuccess(
      'the build',
      run(node, [join(root, 'scripts', 'build.mjs')], { cwd: root, env, stdio: ['ignore', 2, 2] }),
    )
    markDone(stamp, hash)
  })
}

/** Whether this exists in a read-only folder, where it must have been prepared in advance. */
const isFixed = (path) => existsSync(join(root, path)) && !isWritable()
function isWritable() {
  try {
    accessSync(root, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Does work that writes to this folder while holding a lock against other processes. */
async function holdingLock(why, work) {
  if (!isWritable())
    throw new CannotInstall(
      `${why}, and ${root.replace(/[\\/]$/, '')} is read-only. Run npm start once where it can be written.`,
    )
  mkdirSync(join(root, '.node'), { recursive: true })
  await withLock(join(root, '.node', 'lock'), work, say)
}

async function npm(node, args) {
  const { npm_execpath: execPath } = process.env
  const machine = { platform: process.platform, node, machinesNode: process.execPath, execPath, exists: existsSync }
  const { program, args: all, shell } = npmCall(machine, args)
  await requireSuccess(
    `npm ${args[0]}`,
    run(program, all, { cwd: root, env: envFor(node), shell, stdio: ['ignore', 2, 2] }),
  )
}

/** Waits for a program. Throws an error with its exit code or signal unless it succeeded. */
async function requireSuccess(what, ending) {
  const ended = await ending
  if (ended.code === 0) return
  say(`${what} failed`)
  throw Object.assign(new Error(what), { ended })
}

/** Installs everything that a command needs. Returns the path of Node, or `ended` with the exit code if that failed. */
export async function installNeeded({ built }) {
  try {
    const node = await installNode()
    await installPackages(node)
    if (built) await build(node)
    return { node }
  } catch (error) {
    if (error.ended) return { ended: error.ended }
    if (!(error instanceof CannotInstall)) throw error
    say(error.message)
    return { ended: { code: 1 } }
  }
}
