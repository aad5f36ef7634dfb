import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { holdFolder } from './hold-folder.ts'

test('one server holds a folder, and the next one may when it lets go', () => {
  const folder = temporaryFolder()
  const letGo = holdFolder(folder)
  expect(() => holdFolder(folder)).toThrow('in use by another ToolBox')
  letGo()
  holdFolder(folder)()
})
