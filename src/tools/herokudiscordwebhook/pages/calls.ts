import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { EntryOf, SettingsOf } from '../../../entries/contract.ts'
import { entryQuery } from '../../../entries/pages/calls.ts'
import type { Common, Detail } from '../../../entries/pages/tool-pages.ts'
import { api } from '../../../ui/data/api.ts'
import { noteEdit } from '../../../ui/form/conflict/edits.ts'
import { succeed, warn } from '../../../ui/toasts.ts'
import { herokudiscordwebhook, type NewSecret, type ReplayAnswer } from '../contract.ts'
import { eventCount } from './delivery-labels.ts'

/** An entry as its page has it. */
export type Relay = EntryOf<typeof herokudiscordwebhook> & Detail
export type Settings = SettingsOf<typeof herokudiscordwebhook>
export type Values = Settings & Common
export type Filter = Settings['filter']

const { id: tool, path } = herokudiscordwebhook

/** Reloads everything about relays. */
export const useFresh = () => {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: ['entries', tool] })
}

/** The saved entry; undefined before it is saved. */
export const useSaved = (id: string | undefined): Relay | undefined =>
  useQuery({ ...entryQuery<Relay>(herokudiscordwebhook, id ?? ''), enabled: id !== undefined }).data

/** Generates a new secret; settles once the entry has been reloaded. */
export function useNewSecret() {
  const fresh = useFresh()
  return useMutation({
    mutationFn: async (id: string) => (await api.post<NewSecret>(`${path}/secret`, undefined, { params: { id } })).data,
    onSuccess: (made, id) => {
      noteEdit({ id, updatedAt: made.updatedAt })
      return fresh()
    },
  })
}

/** Replaces an entry's webhook, and sends the held events there. */
export function useReplace() {
  const fresh = useFresh()
  return useMutation({
    mutationFn: async (to: { id: string; discordHook: string }) => {
      const { warning, ...replaced } = (await api.patch<Relay>(path, to)).data
      noteEdit(replaced)
      const held = { id: to.id, state: 'held' }
      const { count } = (await api.post<ReplayAnswer>(`${path}/deliveries/replay`, held)).data
      return { warning, count }
    },
    onSuccess: ({ warning, count }) => {
      succeed(`Webhook URL replaced. ${count === 0 ? 'No events were held.' : `Replaying ${eventCount(count)}.`}`)
      if (warning) warn(warning)
      return fresh()
    },
  })
}
