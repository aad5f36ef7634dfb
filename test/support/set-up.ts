import { afterAll, afterEach, beforeEach, vi } from 'vitest'
import { unknownNames } from '../../src/platform/net/reach.ts'
import { makePasswordsCheap } from './cheap-passwords.ts'
import { removeTemporaryFolders } from './temporary-folder.ts'

makePasswordsCheap()
// Short, because only the tests of host names are about this delay.
unknownNames.reportedEvery = 200

beforeEach(() => {
  vi.spyOn(console, 'error')
})

afterEach(() => {
  const calls = vi.mocked(console.error).mock.calls
  vi.restoreAllMocks()
  if (calls.length > 0) throw new Error(`console.error was called: ${calls.map((words) => words.join(' ')).join('\n')}`)
})

afterAll(removeTemporaryFolders)
