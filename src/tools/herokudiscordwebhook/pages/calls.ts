import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { entryQuery } from '../../../entries/pages/calls.ts'
import { api } from '../../../web/api.ts'
import { succeed, warn } from '../../../web/toasts.ts'
import { herokudiscordwebhook, type NewSecret, type ReplayAnswer } from '../contract.ts'
import type { Relay } from './relay.ts'

const { id: tool, path } = herokudiscordwebhook

const useFresh = () => {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: ['entries', tool] })
}

/** The secret as it is kept: null when none is, undefined of an entry that is not saved yet. */
export const useSavedSecret = (id: string | undefined) =>
  useQuery({ ...entryQuery<Relay>(herokudiscordwebhook, id ?? ''), enabled: id !== undefined }).data?.secret

/** Makes another secret; it is over once the entry has been read again. */
export function useNewSecret() {
  const fresh = useFresh()
  return useMutation({
    mutationFn: async (id: string) => (await api.post<NewSecret>(`${path}/secret`, undefined, { params: { id } })).data,
    onSuccess: fresh,
  })
}

/** Leads an entry to another webhook and sends there what was held. */
export function useReplace() {
  const fresh = useFresh()
  return useMutation({
    mutationFn: async (to: { id: string; discordHook: string }) => {
      const { warning } = (await api.patch<Relay>(path, to)).data
      const held = { id: to.id, state: 'held' }
      const { count } = (await api.post<ReplayAnswer>(`${path}/deliveries/replay`, held)).data
      return { warning, count }
    },
    onSuccess: ({ warning, count }) => {
      succeed(`The URL is replaced. ${againOf(count)}`)
      if (warning) warn(warning)
      return fresh()
    },
  })
}

function againOf(count: number): string {
  if (count === 0) return 'Nothing was held.'
  return count === 1 ? '1 held event goes to Discord again.' : `${count} held events go to Discord again.`
}
