// Plain JavaScript that Node 20 can run: installs what a command needs, then runs it with Node 24.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bringAll, envFor, root, run, running, say } from './install.mjs'
import { hearsByItself } from './machine.mjs'
import { nodeEnv, nodeFlags } from './node-flags.mjs'

const commands = {
  start: { run: [...nodeFlags, 'dist-server/main.js'], built: true, env: nodeEnv },
  dev: { run: ['--watch', '--watch-preserve-output', 'src/main.ts'], env: { NODE_ENV: 'development' } },
  test: { run: ['test/all.ts'], built: true },
  stress: { run: ['test/stress.ts'], built: true },
  check: { run: ['test/check.ts'] },
  faults: { run: ['test/faults/main.ts'], built: true },
  bench: { run: ['bench/main.ts'] },
  toolbox: { run: ['src/cli.ts'] },
}

function leave({ code, signal }) {
  if (!signal) process.exit(code ?? 1)
  for (const name of passedOn) process.removeAllListeners(name)
  process.kill(process.pid, signal)
}

const [command, ...args] = process.argv.slice(2)
const wanted = Object.hasOwn(commands, command ?? '') ? commands[command] : undefined
if (!wanted) {
  say(`use one of ${Object.keys(commands).join(', ')}`)
  process.exit(2)
}

/** The parent of the shell that runs an npm script, which is npm itself; available only on Linux. */
function parentOfShell(pid) {
  try {
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return /^(ba|da)?sh$/.test(name ?? '') ? parent : undefined
  } catch {
    return undefined
  }
}

const passedOn = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGBREAK']
const atTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY)
let passed = false
function passOn(signal) {
  passed = true
  // If the terminal signals the child itself, a second signal would kill it immediately.
  if (!hearsByItself(signal, atTerminal)) running()?.kill(signal)
}
for (const signal of passedOn) process.on(signal, passOn)
// Without a listener, Node would open an inspector.
process.on('SIGUSR1', () => {})
// npm doesn't notify its scripts when it ends, but their parent process changes then.
const above = () => `${process.ppid} ${process.env.npm_lifecycle_event ? parentOfShell(process.ppid) : ''}`
const npmAbove = above()
setInterval(() => {
  if (!passed && above() !== npmAbove) passOn('SIGTERM')
}, 2_000).unref()

const { node, ended } = await bringAll(wanted)
if (ended) leave(ended)
else {
  const [script, flags] = [wanted.run.at(-1), wanted.run.slice(0, -1)]
  const env = { ...envFor(node), ...wanted.env }
  leave(await run(node, [...flags, join(root, script), ...args], { stdio: 'inherit', env }))
}
