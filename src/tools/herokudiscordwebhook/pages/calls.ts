import { useMutation, useQuery } from '@tanstack/react-query'
import type { EntryOf, SettingsOf } from '../../../entries/contract.ts'
import { entryQuery } from '../../../entries/pages/calls.ts'
import type { Common, Detail } from '../../../entries/pages/tool-pages.ts'
import { api } from '../../../ui/data/api.ts'
import { call, reload, useCall } from '../../../ui/data/call.ts'
import { noteEdit } from '../../../ui/form/conflict/edits.ts'
import { succeed, warn } from '../../../ui/toasts.ts'
import { herokudiscordwebhook } from '../contract.ts'
import { eventCount } from './delivery-labels.ts'

/** An entry as its page has it. */
export type Relay = EntryOf<typeof herokudiscordwebhook> & Detail
export type Settings = SettingsOf<typeof herokudiscordwebhook>
export type Values = Settings & Common
export type Filter = Settings['filter']

const { id: tool, path } = herokudiscordwebhook

/** Reloads everything about relays. */
export const reloadRelays = () => reload({ queryKey: ['entries', tool] })

/** The saved entry; undefined before it is saved. */
export const useSaved = (id: string | undefined): Relay | undefined =>
  useQuery({ ...entryQuery<Relay>(herokudiscordwebhook, id ?? ''), enabled: id !== undefined }).data

/** Generates a new secret; settles once the entry has been reloaded. */
export const useNewSecret = () =>
  useCall('POST /api/v1/herokudiscordwebhook/secret?id', {
    onSuccess: ({ updatedAt }, { id }) => {
      noteEdit({ id, updatedAt })
      return reloadRelays()
    },
  })

/** Replaces an entry's webhook, and sends the held events there. */
export function useReplace() {
  return useMutation({
    mutationFn: async (to: { id: string; discordHook: string }) => {
      const { warning, ...replaced } = (await api.patch<Relay>(path, to)).data
      noteEdit(replaced)
      const { count } = await call('POST /api/v1/herokudiscordwebhook/deliveries/replay', { id: to.id, state: 'held' })
      return { warning, count }
    },
    onSuccess: ({ warning, count }) => {
      succeed(`Webhook URL replaced. ${count === 0 ? 'No events were held.' : `Replaying ${eventCount(count)}.`}`)
      if (warning) warn(warning)
      return reloadRelays()
    },
  })
}
