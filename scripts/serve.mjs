// What containers and service managers run once everything is installed and built: this process becomes the server.
import { fileURLToPath } from 'node:url'
import { nodeFlags } from './node-flags.mjs'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
// Nothing stays between the server and whoever sends it signals.
process.execve(process.execPath, [process.execPath, ...nodeFlags, main], process.env)
