import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { nodeFlags } from './node-flags.mjs'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test('the README has a service and a container start Node as npm start does', () => {
  expect(readme).toContain(`ExecStart=/usr/bin/node ${nodeFlags.join(' ')} src/main.ts`)
  expect(readme).toContain(`CMD ${JSON.stringify(['node', ...nodeFlags, 'src/main.ts']).replaceAll(',', ', ')}`)
})
