import { outerState } from '../outer-state.ts'
import { isRefusal } from './api.ts'

const stream = outerState<'off' | 'up' | 'lost'>('off')
export const setStream = stream.set

/**
 * Milliseconds between two refreshes of data that changes on the server. False while the live stream reports changes,
 * and for refused queries: those are repeated once the user has signed in or received the role.
 */
export function useRefreshEvery(): (query: { state: { error: unknown } }) => number | false {
  const every = stream.use() === 'up' ? false : 5_000
  return ({ state: { error } }) => (isRefusal(error) ? false : every)
}

export const useConnectionLost = (): boolean => stream.use() === 'lost'
