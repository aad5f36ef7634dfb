import { run } from './cli/run.ts'

const { env } = process
process.exitCode = await run(process.argv.slice(2), {
  env,
  folder: process.cwd(),
  say: console.log,
  complain: console.error,
})
