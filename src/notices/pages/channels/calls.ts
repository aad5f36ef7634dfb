import { queryOptions, useMutation } from '@tanstack/react-query'
import { seconds } from '../../../shared/time.ts'
import { api } from '../../../ui/data/api.ts'
import { queryClient } from '../../../ui/data/query.ts'
import { prefetchForUser } from '../../../ui/data/session.ts'
import type { Channel } from '../../channels/contract.ts'
import type { ChannelForm, ChannelKind } from './values.ts'

const path = '/api/v1/user/channels'

export const channelsQuery = queryOptions({
  queryKey: ['own', 'channels'],
  queryFn: async () => (await api.get<Channel[]>(path)).data,
  meta: { about: { topic: 'channel' } },
})

export const kindsQuery = queryOptions({
  queryKey: ['own', 'channel-types'],
  queryFn: async () => (await api.get<ChannelKind[]>(`${path}/types`)).data,
  staleTime: Number.POSITIVE_INFINITY,
})

/** Resolves when the screen can be shown in one piece. */
export const loadChannels = () => Promise.all([prefetchForUser(channelsQuery), prefetchForUser(kindsQuery)])

const reload = () => queryClient.invalidateQueries({ queryKey: channelsQuery.queryKey })

/** Creates a channel, or changes the one with this id. */
export const useSaveChannel = () =>
  useMutation({
    mutationFn: async ({ id, form }: { id: string | undefined; form: ChannelForm }) =>
      id === undefined
        ? (await api.post<Channel>(path, form)).data
        : (await api.patch<Channel>(path, { id, ...form, type: undefined })).data,
    onSuccess: reload,
  })

export const useSwitchChannel = () =>
  useMutation({
    mutationFn: (channel: Pick<Channel, 'id' | 'status'>) => api.patch(path, channel),
    onSettled: reload,
  })

export const useTestChannel = () =>
  useMutation({ mutationFn: (id: string) => api.post(`${path}/test`, undefined, { params: { id } }) })

export const useDeleteChannel = () =>
  useMutation({ mutationFn: (params: { id: string }) => api.delete(path, { params }), onSettled: reload })

export const useConfirmEmail = () =>
  useMutation({
    mutationFn: async (token: string) => (await api.post<{ to: string }>(`${path}/confirm`, { token })).data,
    onSuccess: reload,
  })

/** A tool with entries, as the channels of its entries see it. */
export type EntryTool = { id: string; label: string; path: string }
type Found = { id: string; name: string | null; about: string }

/** The user's own entries with this text, or with this whole id; the newest for an empty one. */
export const entriesQuery = (text: string) =>
  queryOptions({
    queryKey: ['own', 'channel-entries', text],
    queryFn: async () =>
      (await api.get<{ rows: Found[] }>('/api/v1/search', { params: { text, mine: true } })).data.rows,
    staleTime: seconds(30),
  })
