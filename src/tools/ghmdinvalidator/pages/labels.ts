import type { State } from '../contract.ts'

export const modeLabels = { always: 'Every image', stale: 'Only stale images' } as const

export const stateLabel = (state: State): string => (state === 'changing' ? 'always fresh' : state)
