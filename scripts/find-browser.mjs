// Prints a JSON object with the environment variables through which the browser tests find a working Chromium.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const carried = '@sparticuz/chromium@153.0.0'
const root = fileURLToPath(new URL('..', import.meta.url))
const home = join(root, '.browser')
const say = (line) => console.error(`ToolBox: ${line}`)
const quiet = { stdio: ['ignore', 2, 2] }

/** Whether this is a working browser, and not a stub that only prints what to install. */
function runs(path, env = {}) {
  const options = { env: { ...process.env, ...env }, encoding: 'utf8', timeout: 20_000 }
  return /Chrom/.test(spawnSync(path, ['--no-sandbox', '--version'], options).stdout ?? '')
}

async function onThisMachine() {
  const { chromium } = await import('@playwright/test')
  const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
  const folders = (process.env.PATH ?? '').split(delimiter)
  const applications = [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ]
  const candidates = [
    chromium.executablePath(),
    ...names.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...applications,
  ]
  return candidates.find((path) => existsSync(path) && runs(path))
}

/** Chromium's headless shell from npm (x64 Linux): the same version everywhere, and half the CPU of full Chromium. */
async function fromRegistry() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  if (!existsSync(join(home, 'node_modules', '@sparticuz', 'chromium', 'package.json'))) {
    say('downloading Chromium into .browser (once)')
    mkdirSync(home, { recursive: true })
    const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund']
    const npm = process.env.npm_execpath
    const [program, first] = npm?.endsWith('js') ? [process.execPath, [npm]] : ['npm', []]
    if (spawnSync(program, [...first, 'install', '--prefix', home, ...flags, carried], quiet).status !== 0)
      return undefined
  }
  const unpacked = join(home, 'unpacked')
  mkdirSync(unpacked, { recursive: true })
  // Makes the package also unpack libraries that a bare machine lacks, into this folder instead of the system's.
  Object.assign(process.env, { AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x', TMPDIR: unpacked })
  const entry = createRequire(join(home, 'from-here.js')).resolve('@sparticuz/chromium')
  const path = await (await import(pathToFileURL(entry).href)).default.executablePath()
  const env = { LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH ?? '' }
  return runs(path, env) ? { TOOLBOX_BROWSER: path, ...env } : undefined
}

function fromSystem() {
  const packages = ['/usr/bin/apt-get', '/usr/local/bin/apt-get'].find(existsSync)
  if (!packages || process.getuid?.() !== 0) return
  say('installing Chromium with apt-get (once; none found on this machine)')
  spawnSync(packages, ['update'], quiet)
  spawnSync(packages, ['install', '-y', '--no-install-recommends', 'chromium'], quiet)
}

async function find() {
  const configured = process.env.TOOLBOX_BROWSER
  if (configured) return { TOOLBOX_BROWSER: configured }
  const downloaded = await fromRegistry()
  if (downloaded) return downloaded
  const found = await onThisMachine()
  if (found) return { TOOLBOX_BROWSER: found }
  fromSystem()
  const installed = await onThisMachine()
  return installed ? { TOOLBOX_BROWSER: installed } : undefined
}

const env = await find()
if (!env) {
  say('could not find or download Chromium: install it, or set TOOLBOX_BROWSER=/path')
  process.exit(1)
}
console.log(JSON.stringify(env))
