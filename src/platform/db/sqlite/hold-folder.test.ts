import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { holdFolder } from './hold-folder.ts'

test('one server holds a folder, and the next one may when it lets go', () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolbox-hold-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const letGo = holdFolder(folder)
  expect(() => holdFolder(folder)).toThrow('in use by another ToolBox')
  letGo()
  holdFolder(folder)()
})
