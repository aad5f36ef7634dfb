// Plain JavaScript that Node 20 can run: installs what a command needs, then runs it with Node 24.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeFlags } from './node-flags.mjs'
import { isDone, markDone, pageSources, sourcesHash, withLock } from './prepare.mjs'

const nodeVersion = '24.21.0'
const root = fileURLToPath(new URL('..', import.meta.url))

/** What each npm script runs, and whether it needs the built page. */
const commands = {
  start: { run: [...nodeFlags, 'src/main.ts'], page: true },
  dev: { run: ['--watch', '--watch-preserve-output', 'src/main.ts'], env: { NODE_ENV: 'development' } },
  test: { run: ['test/all.ts'], page: true },
  check: { run: ['test/check.ts'] },
  faults: { run: ['test/faults/main.ts'], page: true },
  bench: { run: ['bench/main.ts'] },
  toolbox: { run: ['src/cli.ts'] },
}

const say = (line) => console.error(`ToolBox: ${line}`)
// npm passes its settings to its scripts; a second npm below must not take them for its own.
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || name === 'npm_execpath'),
)

// Compiled once, a start takes a third less time and memory.
env.NODE_COMPILE_CACHE ??= join(root, '.node', 'compile-cache')

let child
/** Runs a program to its end; it gets our signals. */
function run(program, args, options) {
  return new Promise((resolve) => {
    child = spawn(program, args, options)
    child.on('error', (error) => {
      say(`${program} does not start: ${error.message}`)
      resolve({ code: 1 })
    })
    child.on('exit', (code, signal) => resolve({ code, signal }))
  })
}

function leave({ code, signal }) {
  if (!signal) process.exit(code ?? 1)
  for (const name of passedOn) process.removeAllListeners(name)
  process.kill(process.pid, signal)
}

/** The path of Node 24: this one if it is new enough. */
async function bringNode() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  const windows = process.platform === 'win32'
  const name = `node-${windows ? 'win' : process.platform}-${process.arch}`
  const folder = join(root, '.node', nodeVersion)
  const node = join(folder, 'node_modules', name, 'bin', windows ? 'node.exe' : 'node')
  const stamp = join(folder, '.done')
  const isThere = () => existsSync(node) && isDone(stamp, name)
  if (isThere()) return node
  mkdirSync(folder, { recursive: true })
  await withLock(join(root, '.node', 'lock'), async () => {
    if (isThere()) return
    say(`downloading Node ${nodeVersion} into .node (once; this machine has ${process.versions.node})`)
    const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await npm(process.execPath, ['install', '--prefix', folder, ...flags, `${name}@${nodeVersion}`])
    markDone(stamp, name)
  })
  return node
}

async function installPackages(node) {
  const stamp = join(root, 'node_modules', '.toolbox-stamp')
  const wanted = sourcesHash(root, ['package-lock.json'])
  if (isDone(stamp, wanted)) return
  mkdirSync(join(root, '.node'), { recursive: true })
  await withLock(join(root, '.node', 'lock'), async () => {
    if (isDone(stamp, wanted)) return
    say('installing packages from the lock file')
    await npm(node, ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
    markDone(stamp, wanted)
  })
}

async function buildPage(node) {
  const stamp = join(root, 'dist', '.stamp')
  const wanted = sourcesHash(root, pageSources)
  if (isDone(stamp, wanted)) return
  await withLock(join(root, '.node', 'lock'), async () => {
    if (isDone(stamp, wanted)) return
    say('building the front end')
    const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
    // Vite empties dist first, including the stamp, so a build that dies half-way is repeated.
    const built = await run(node, [vite, 'build', '--logLevel', 'warn'], { cwd: root, env, stdio: ['ignore', 2, 2] })
    if (built.code !== 0) leave(built)
    markDone(stamp, wanted)
  })
}

async function npm(node, args) {
  const cli = process.env.npm_execpath
  const [program, first] = cli?.endsWith('js') ? [node, [cli]] : ['npm', []]
  const path = { PATH: `${dirname(node)}${delimiter}${env.PATH}` }
  const shell = program === 'npm' && process.platform === 'win32'
  const done = await run(program, [...first, ...args], {
    cwd: root,
    env: { ...env, ...path },
    shell,
    stdio: ['ignore', 2, 2],
  })
  if (done.code === 0) return
  say(`npm ${args[0]} failed`)
  leave(done)
}

const [command, ...args] = process.argv.slice(2)
const wanted = Object.hasOwn(commands, command ?? '') ? commands[command] : undefined
if (!wanted) {
  say(`use one of ${Object.keys(commands).join(', ')}`)
  process.exit(2)
}

/** npm is the parent of the shell that runs a script; only Linux shows how to find it. */
function parentOfShell(pid) {
  try {
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return /^(ba|da)?sh$/.test(name ?? '') ? parent : undefined
  } catch {
    return undefined
  }
}

const passedOn = ['SIGTERM', 'SIGHUP', 'SIGINT']
const atTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY)
let passed = false
function passOn(signal) {
  // At a terminal, Ctrl+C reaches the child by itself, and a second signal would kill it at once.
  if (signal === 'SIGINT' && atTerminal) return
  passed = true
  child?.kill(signal)
}
for (const signal of passedOn) process.on(signal, passOn)
// npm doesn't tell its scripts when it ends, but then the parent process changes.
const above = () => `${process.ppid} ${process.env.npm_lifecycle_event ? parentOfShell(process.ppid) : ''}`
const npmAbove = above()
setInterval(() => {
  if (!passed && above() !== npmAbove) passOn('SIGTERM')
}, 500).unref()

const node = await bringNode()
await installPackages(node)
if (wanted.page) await buildPage(node)
const [script, flags] = [wanted.run.at(-1), wanted.run.slice(0, -1)]
leave(
  await run(node, [...flags, join(root, script), ...args], {
    stdio: 'inherit',
    env: { ...env, ...wanted.env, PATH: `${dirname(node)}${delimiter}${env.PATH}` },
  }),
)
