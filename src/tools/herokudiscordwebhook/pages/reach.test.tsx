import { expect, test } from 'vitest'
import type { Filter } from './calls.ts'
import { addCommand, appNameOf } from './reach.tsx'

const herokuEndpoint = 'https://tools.example.com/hooks/heroku/abc'
const secret = 'sixteen_letters-1'
const filter: Filter = { preset: 'everything' }

test('is what the CLI of Heroku takes', () => {
  expect(addCommand({ herokuEndpoint, secret, filter }, 'my-app')).toBe(
    `heroku webhooks:add -a my-app -i api:release,api:build,dyno -l sync -s ${secret} -u ${herokuEndpoint}`,
  )
})
test('leaves a place for the app, and the secret out when none is checked', () => {
  expect(addCommand({ herokuEndpoint, secret: null, filter }, '')).toBe(
    `heroku webhooks:add -a APP -i api:release,api:build,dyno -l sync -u ${herokuEndpoint}`,
  )
})
test.each<[Filter, string]>([
  [{ preset: 'deploysAndCrashes' }, 'api:release,api:build,dyno'],
  [{ preset: 'deploys' }, 'api:release,api:build'],
  [{ resources: ['dyno', 'api:addon'], statuses: ['crashed'] }, 'dyno,api:addon'],
  [{ resources: [], statuses: ['failed'] }, 'api:release,api:build,dyno'],
])('asks for what %j lets through', (filter, list) => {
  expect(addCommand({ herokuEndpoint, secret, filter }, 'my-app')).toContain(` -i ${list} -l`)
})
test.each([
  ["it's $HOME and more", `-s 'it'\\''s $HOME and more'`],
  ['-starts-like-an-option', '--secret=-starts-like-an-option'],
])('hands the secret %s on as it is', (secret, words) => {
  expect(addCommand({ herokuEndpoint, secret, filter }, 'my-app')).toContain(` ${words} -u `)
})
test('keeps of what is pasted as a name what can be one', () => {
  expect(appNameOf(' My-App2; rm')).toBe('my-app2rm')
})
