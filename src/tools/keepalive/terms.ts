import { entryToolNames } from '../../entries/define-tool.ts'

export const keepaliveNames = entryToolNames({
  id: 'keepalive',
  label: 'Keep Alive',
  noun: 'keep-alive entry',
  works: 'Up',
  today: 'Pings today',
  letter: 'k',
})

/** So near its end, a certificate is worth a word in lists and on Home. */
export const soonDays = 14
