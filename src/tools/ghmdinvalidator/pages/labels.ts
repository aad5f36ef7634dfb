import type { State } from '../contract.ts'

export const modeLabels = { always: 'Every image', stale: 'Only stale images' } as const

export const stateLabels: Record<State, string> = {
  current: 'current',
  stale: 'stale',
  purged: 'purged',
  'still stale': 'still stale',
  changing: 'always fresh',
  failed: 'failed',
}
