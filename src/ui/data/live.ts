import { externalState } from '../external-state.ts'
import { isRefusal } from './api.ts'

const stream = externalState<'off' | 'up' | 'lost'>('off')
export const setStream = stream.set

/** Milliseconds, or false while the live stream is up and for refused queries, which sign-in or a new role repeats. */
export function useRefetchInterval(): (query: { state: { error: unknown } }) => number | false {
  const every = stream.use() === 'up' ? false : 5_000
  return ({ state: { error } }) => (isRefusal(error) ? false : every)
}

export const useConnectionLost = (): boolean => stream.use() === 'lost'
