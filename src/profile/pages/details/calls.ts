import { queryOptions, useMutation } from '@tanstack/react-query'
import type { Milliseconds } from '../../../shared/time.ts'
import { seconds } from '../../../shared/time.ts'
import type { SessionUser } from '../../../shared/user.ts'
import { api } from '../../../ui/data/api.ts'
import { queryClient } from '../../../ui/data/query.ts'
import { sessionQuery } from '../../../ui/data/session.ts'
import type { OwnDetailsBody, OwnEmail } from '../../own-details/contract.ts'

const path = '/api/v1/user'
const lookEvery: Milliseconds = seconds(5)

/** The user's email, and what became of the link that confirms it. */
export const ownEmailQuery = queryOptions({
  queryKey: ['own', 'email'],
  queryFn: async () => (await api.get<OwnEmail>(`${path}/email`)).data,
  // Until it is known whether the link has left.
  refetchInterval: ({ state: { data } }) => {
    const link = data?.link
    return link && link.sentAt === null && link.expiresAt > Date.now() ? lookEvery : false
  },
})

const reload = () =>
  Promise.all([sessionQuery, ownEmailQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })))

export const useSaveDetails = () =>
  useMutation({
    mutationFn: async (body: OwnDetailsBody) => (await api.patch<SessionUser>(path, body)).data,
    onSuccess: reload,
  })

/** Has a link mailed that confirms the email. */
export const useMailLink = () =>
  useMutation({
    mutationFn: async () => (await api.post<OwnEmail>(`${path}/email/link`)).data,
    onSuccess: (data) => queryClient.setQueryData(ownEmailQuery.queryKey, data),
    onError: reload,
  })

/** Confirms the email by the token that was mailed to it. */
export const useVerifyEmail = () =>
  useMutation({
    mutationFn: async (token: string) => (await api.post<{ email: string }>(`${path}/email/confirm`, { token })).data,
    onSuccess: reload,
  })
