// Plain JavaScript that Node 20 can run: installs what a command needs, then runs it with Node 24.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { envFor, installNeeded, root, run, runningChild, say } from './install.mjs'
import { isSentByTerminal } from './machine.mjs'
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

function exitAs({ code, signal }) {
  if (!signal) process.exit(code ?? 1)
  for (const name of forwardedSignals) process.removeAllListeners(name)
  process.kill(process.pid, signal)
}

const [command, ...args] = process.argv.slice(2)
const chosen = Object.hasOwn(commands, command ?? '') ? commands[command] : undefined
if (!chosen) {
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

const forwardedSignals = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGBREAK']
const atTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY)
let hasForwarded = false
function forward(signal) {
  hasForwarded = true
  // If the terminal signals the child itself, a second signal would kill it immediately.
  if (!isSentByTerminal(signal, atTerminal)) runningChild()?.kill(signal)
}
for (const signal of forwardedSignals) process.on(signal, forward)
// Without a listener, Node would open an inspector.
process.on('SIGUSR1', () => {})
// npm doesn't notify its scripts when it ends, but their parent process changes then.
const parents = () => `${process.ppid} ${process.env.npm_lifecycle_event ? parentOfShell(process.ppid) : ''}`
const firstParents = parents()
setInterval(() => {
  if (!hasForwarded && parents() !== firstParents) forward('SIGTERM')
}, 2_000).unref()

const { node, ended } = await installNeeded(chosen)
if (ended) exitAs(ended)
else {
  const [script, flags] = [chosen.run.at(-1), chosen.run.slice(0, -1)]
  const env = { ...envFor(node), ...chosen.env }
  exitAs(await run(node, [...flags, join(root, script), ...args], { stdio: 'inherit', env }))
}
