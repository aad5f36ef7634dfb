// Run by containers and service managers once everything is installed and built: this process becomes the server.
import { fileURLToPath } from 'node:url'
import { nodeEnv, nodeFlags } from './node-flags.mjs'

const file = fileURLToPath(new URL('../dist-server/main.js', import.meta.url))
// Replace this process, so that signals reach the server directly.
process.execve(process.execPath, [process.execPath, ...nodeFlags, file], { ...process.env, ...nodeEnv })
