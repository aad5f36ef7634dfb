import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { brokenRules, sourceFiles } from './import-rules.ts'

const brokenIn = (path: string, text: string) => brokenRules([{ path, text }])
const importing = (path: string, target: string) => brokenIn(path, `import { x } from '${target}'\n`)

test('the sources keep the map', () => {
  const sources = sourceFiles(dirname(import.meta.dirname))
  expect(sources.length).toBeGreaterThan(20)
  expect(brokenRules(sources)).toEqual([])
})

test.each([
  ['src/shared/time.ts', '../platform/context.ts'],
  ['src/platform/http/server.ts', '../../entries/store.ts'],
  ['src/ui/components/modal/modal.tsx', '../../../entries/contract.ts'],
  ['src/entries/contract.ts', '../platform/context.ts'],
  ['src/entries/store.ts', '../tools/index.ts'],
  ['src/entries/pages/modify.tsx', '../store.ts'],
  ['src/entries/routes.ts', './pages/modify.tsx'],
  ['src/entries/store.ts', '../accounts/users/store.ts'],
  ['src/tools/keepalive/server.ts', '../ghmdinvalidator/contract.ts'],
  ['src/tools/keepalive/server.ts', '../../ui/api.ts'],
  ['src/tools/keepalive/pages/form.tsx', '../../../platform/context.ts'],
  ['src/tools/keepalive/server.ts', '../../accounts/users/store.ts'],
  ['src/accounts/routes.ts', '../app.ts'],
  ['src/app.tsx', './app.ts'],
])('%s may not import %s', (path, target) => {
  expect(importing(path, target)).toHaveLength(1)
})

test.each([
  ['src/platform/config/config.ts', '../shared/time.ts'],
  ['src/entries/pages/modify.tsx', '../contract.ts'],
  ['src/tools/keepalive/pages/card.ts', '../names.ts'],
  ['src/entries/pages/modify.tsx', '../../ui/form/form.tsx'],
  ['src/entries/routes.ts', '../platform/http/guard.ts'],
  ['src/accounts/set-up/bootstrap.ts', '../users/store.ts'],
  ['src/tools/keepalive/server.ts', '../../entries/tool.ts'],
  ['src/tools/keepalive/pages/form.tsx', '../../../entries/pages/modify.tsx'],
  ['src/tools/web.ts', './keepalive/pages/tool.tsx'],
  ['src/app.ts', './tools/server.ts'],
  ['src/main.ts', './app.ts'],
  ['src/cli/backup.ts', '../platform/db/open.ts'],
])('%s may import %s', (path, target) => {
  expect(importing(path, target)).toEqual([])
})

test('an import counts in every form it can take', () => {
  const target = '../platform/context.ts'
  for (const text of [
    `import '${target}'`,
    `const x = await import('${target}')`,
    `import type {\n  Context,\n} from '${target}'`,
    `export const x = 1; import('${target}')`,
  ])
    expect(brokenIn('src/shared/time.ts', text), text).toHaveLength(1)
})

test('a folder without a place in the map is refused', () => {
  expect(brokenIn('src/utils/text.ts', '')).toHaveLength(1)
})

test('re-exports, a clock of one’s own and Node in the browser are refused', () => {
  expect(brokenIn('src/entries/index.ts', "export * from './store.ts'")).toHaveLength(1)
  expect(brokenIn('src/entries/store.ts', "export { a, b } from './edit.ts'")).toHaveLength(1)
  expect(brokenIn('src/entries/store.ts', 'const at = Date.now()')).toHaveLength(1)
  expect(brokenIn('src/accounts/sessions/session.ts', 'const at = new Date()')).toHaveLength(1)
  expect(brokenIn('src/ui/format-time.ts', "import { join } from 'node:path'")).toHaveLength(1)
  expect(brokenIn('src/ui/format-time.ts', 'const at = Date.now()')).toEqual([])
  expect(brokenIn('src/main.ts', 'const context = { now: () => Date.now() }')).toEqual([])
  expect(brokenIn('src/accounts/sessions/session.ts', 'const at = new Date(1)')).toEqual([])
  expect(brokenIn('src/accounts/sessions/session.test.ts', 'const at = Date.now()')).toEqual([])
})
