import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createPerson, password } from '../support/people.ts'
import { processEnv } from '../support/process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { toolbox } from '../support/toolbox.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const client = join(root, 'test/description/client')

async function run(args: readonly string[], input = '') {
  const child = spawn(process.execPath, [...args], { cwd: root, env: processEnv })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  child.stdin.end(input)
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { out, said: `${out}${err}`, code: await ended }
}

test('a typed client generated from the API description signs in, creates, edits, lists and deletes', async () => {
  const box = await toolbox('sqlite')
  await box.app.listen({ port: 0, host: '127.0.0.1' })
  const address = box.app.server.address()
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const folder = temporaryFolder()

  const description = await (await fetch(`${baseUrl}/api/v1/openapi.json`)).text()
  const types = await run([join(client, 'generate.ts')], description)
  expect(types).toMatchObject({ code: 0 })
  const api = join(folder, 'api.d.ts')
  writeFileSync(api, types.out)
  const project = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { paths: { 'toolbox-api': [api] }, typeRoots: [join(root, 'node_modules/@types')] },
    include: [join(client, 'flow.ts')],
    exclude: [],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
  const checked = await run(['node_modules/typescript/bin/tsc', '-p', folder])
  expect(checked.said).toBe('')

  const { username } = await createPerson(box.context, { username: 'ada' })
  const flow = await run([join(client, 'flow.ts'), baseUrl, username!, password, `${baseUrl}/healthz`])
  expect(flow.said).toBe('done\n')
  await box.close()
})
