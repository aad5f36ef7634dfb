import { afterAll, afterEach, beforeEach, vi } from 'vitest'
import { makePasswordsCheap } from './cheap-passwords.ts'
import { removeTemporaryFolders } from './temporary-folder.ts'

makePasswordsCheap()

beforeEach(() => {
  vi.spyOn(console, 'error')
})

afterEach(() => {
  const said = vi.mocked(console.error).mock.calls
  vi.restoreAllMocks()
  if (said.length > 0) throw new Error(`console.error was called: ${said.map((words) => words.join(' ')).join('\n')}`)
})

afterAll(removeTemporaryFolders)
