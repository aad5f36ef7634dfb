import { afterAll, afterEach, beforeEach, vi } from 'vitest'
import { removeTemporaryFolders } from './temporary-folder.ts'

// What a password costs is tested where it is the subject; elsewhere a quarter of a second each would be most of the run.
vi.mock('../../src/accounts/credentials/password-cost.ts', () => ({ cost: { log2N: 10, r: 8, p: 1 } }))

beforeEach(() => {
  vi.spyOn(console, 'error')
})

afterEach(() => {
  const said = vi.mocked(console.error).mock.calls
  vi.restoreAllMocks()
  if (said.length > 0) throw new Error(`console.error was called: ${said.map((words) => words.join(' ')).join('\n')}`)
})

afterAll(removeTemporaryFolders)
