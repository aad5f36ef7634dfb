import { queryOptions, useMutation } from '@tanstack/react-query'
import { seconds } from '../../../shared/time.ts'
import { call, callQuery, reload, useCall } from '../../../ui/data/call.ts'
import { prefetchForUser } from '../../../ui/data/session.ts'
import type { ChannelForm, ChannelKind } from './values.ts'

export const channelsQuery = queryOptions({
  ...callQuery('GET /api/v1/user/channels'),
  meta: { about: { topic: 'channel' } },
})

export const kindsQuery = queryOptions({
  ...callQuery('GET /api/v1/user/channels/types'),
  // The fields are JSON Schemas, for which the form has more precise types than the contract.
  select: (kinds) => kinds as ChannelKind[],
  staleTime: Number.POSITIVE_INFINITY,
})

/** Resolves once the screen has all data that it shows at first. */
export const loadChannels = () => Promise.all([prefetchForUser(channelsQuery), prefetchForUser(kindsQuery)])

const reloadChannels = () => reload(channelsQuery)

export const useSaveChannel = () =>
  useMutation({
    mutationFn: (body: ChannelForm | (Partial<ChannelForm> & { id: string })) =>
      'id' in body ? call('PATCH /api/v1/user/channels', body) : call('POST /api/v1/user/channels', body),
    onSuccess: reloadChannels,
  })

export const useSwitchChannel = () => useCall('PATCH /api/v1/user/channels', { onSettled: reloadChannels })
export const useTestChannel = () => useCall('POST /api/v1/user/channels/test?id')
export const useDeleteChannel = () => useCall('DELETE /api/v1/user/channels', { onSettled: reloadChannels })
export const useConfirmEmail = () => useCall('POST /api/v1/user/channels/confirm', { onSuccess: reloadChannels })

export type EntryTool = { id: string; label: string }

/** The user's own entries that contain this text or have this id; the newest ones for an empty text. */
export const entriesQuery = (text: string) =>
  queryOptions({
    ...callQuery('GET /api/v1/search', { text, mine: 'true' }),
    select: ({ rows }) => rows,
    staleTime: seconds(30),
  })
