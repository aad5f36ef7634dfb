import { entryNames } from '../../entries/names.ts'

export const keepaliveNames = entryNames({
  id: 'keepalive',
  label: 'Keep Alive',
  noun: 'keep-alive entry',
})
