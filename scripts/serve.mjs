// What containers and service managers run once everything is installed and built: this process becomes the server.
import { fileURLToPath } from 'node:url'
import { nodeEnv, nodeFlags } from './node-flags.mjs'

const file = fileURLToPath(new URL('../dist-server/main.js', import.meta.url))
// Nothing stays between the server and whoever sends it signals.
process.execve(process.execPath, [process.execPath, ...nodeFlags, file], { ...process.env, ...nodeEnv })
