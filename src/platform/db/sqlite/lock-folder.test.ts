import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { StartError } from '../../config/env.ts'
import { lockFolder } from './open.ts'

test('only one server can lock a folder, and the next one can after its release', () => {
  const folder = temporaryFolder()
  const release = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(
    new StartError(`DATA_DIR ${folder} is in use by another ToolBox. Stop that one, or use a different DATA_DIR.`),
  )
  release()
  lockFolder(folder)()
})
