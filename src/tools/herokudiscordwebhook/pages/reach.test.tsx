import { expect, test } from 'vitest'
import type { Filter } from './calls.ts'
import { addCommand, appNameOf } from './reach.tsx'

const herokuEndpoint = 'https://tools.example.com/hooks/heroku/abc'
const secret = 'sixteen_letters-1'
const filter: Filter = { preset: 'everything' }

test('the command is valid for the Heroku CLI', () => {
  expect(addCommand({ herokuEndpoint, secret, filter }, 'my-app')).toBe(
    `heroku webhooks:add -a my-app -i api:release,api:build,dyno -l sync -s ${secret} -u ${herokuEndpoint}`,
  )
})
test('the command has a placeholder for a missing app name, and no secret if signatures are not checked', () => {
  expect(addCommand({ herokuEndpoint, secret: null, filter }, '')).toBe(
    `heroku webhooks:add -a APP -i api:release,api:build,dyno -l sync -u ${herokuEndpoint}`,
  )
})
test.each<[Filter, string]>([
  [{ preset: 'deploysAndCrashes' }, 'api:release,api:build,dyno'],
  [{ preset: 'deploys' }, 'api:release,api:build'],
  [{ resources: ['dyno', 'api:addon'], statuses: ['crashed'] }, 'dyno,api:addon'],
  [{ resources: [], statuses: ['failed'] }, 'api:release,api:build,dyno'],
])('the command requests the resources that %j allows', (filter, list) => {
  expect(addCommand({ herokuEndpoint, secret, filter }, 'my-app')).toContain(` -i ${list} -l`)
})
test.each([
  ["it's $HOME and more", `-s 'it'\\''s $HOME and more'`],
  ['-starts-like-an-option', '--secret=-starts-like-an-option'],
])('the command quotes the secret %s for the shell', (secret, words) => {
  expect(addCommand({ herokuEndpoint, secret, filter }, 'my-app')).toContain(` ${words} -u `)
})
test('invalid characters are removed from a pasted app name', () => {
  expect(appNameOf(' My-App2; rm')).toBe('my-app2rm')
})
