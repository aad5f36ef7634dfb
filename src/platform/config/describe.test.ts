import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { variables } from '../../config.ts'
import { describeConfig as describe } from './config.ts'
import type { Env } from './env.ts'

const describeConfig = (env: Env, folder: string) => describe(variables, env, folder)

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

test('describeConfig derives unset variables from the others, even if those are invalid', () => {
  const texts = (env: Env) =>
    Object.fromEntries(describeConfig(env, folder).found.map(({ name, text }) => [name, text]))
  const derived = { BASE_URL: 'http://localhost:x', APP_SECRET: `kept in ${join(folder, 'data', 'app-secret')}` }
  expect(texts({ PORT: 'x', LOG_LEVEL: 'loud' })).toMatchObject(derived)
  expect(texts({ DATABASE_URL: 'postgres://db/x' })).toMatchObject({ APP_SECRET: undefined })
  expect(texts({ PORT_FILE: '/nowhere' })).toMatchObject({ PORT: '(unreadable)' })
})

test('describeConfig masks secrets, names sources and creates nothing', () => {
  writeFileSync(join(folder, '.env'), 'PORT=4000')
  const { found } = describeConfig(
    {
      DATABASE_URL: 'postgres://me:hunter2@hunter2@db/x',
      DATABASE_URL_DIRECT: 'postgres://db/x?user=me&password=hunter2@&sslpassword=hunter2',
      SMTP_URL: 'smtp://me:hunter2@hunter2@mail',
      APP_SECRET: 'a secret of more than thirty-two characters',
      GITHUB_TOKEN: 'ghp_x',
    },
    folder,
  )
  const by = Object.fromEntries(found.map((one) => [one.name, one]))
  expect(by.PORT).toEqual({ name: 'PORT', text: '4000', source: '.env' })
  expect(by.HOST).toMatchObject({ text: '127.0.0.1', source: 'default' })
  expect(JSON.stringify(found)).not.toMatch(/hunter2|ghp_x|a secret/)
  expect(by.DATABASE_URL?.text).toContain('@db/x')
  const twice = describeConfig({ PORT: '5000', PORT_FILE: 'port', HOST_FILE: '/nowhere' }, folder).found
  expect(twice).toContainEqual({ name: 'PORT', text: '(set twice)', source: 'environment' })
  expect(twice).toContainEqual({ name: 'HOST', text: '(unreadable)', source: 'file' })
  expect(describeConfig({}, join(folder, 'elsewhere')).mistakes).toEqual([])
})
