import { outerState } from '../outer-state.ts'
import { isRefusal } from './api.ts'

const stream = outerState<'off' | 'up' | 'lost'>('off')
export const setStream = stream.set

/**
 * Milliseconds between two refreshes of data that changes by itself; false while the live stream reports changes, and of
 * what was refused: it is asked for again once the user has signed in or got the role.
 */
export function useRefreshEvery(): (query: { state: { error: unknown } }) => number | false {
  const every = stream.use() === 'up' ? false : 5_000
  return ({ state: { error } }) => (isRefusal(error) ? false : every)
}

export const useConnectionLost = (): boolean => stream.use() === 'lost'
