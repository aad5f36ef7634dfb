import { entryToolNames } from '../../entries/define-tool.ts'

export const keepaliveNames = entryToolNames({
  id: 'keepalive',
  label: 'Keep Alive',
  noun: 'keep-alive entry',
  works: 'Up',
  today: 'Pings today',
  letter: 'k',
})

/** Lists and Home mention certificates that expire within this number of days. */
export const soonDays = 14
