import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { waitingQuery } from '../../admission/pages/waiting/calls.ts'
import { can } from '../../shared/user.ts'
import { api, isKeptBack } from '../../ui/data/api.ts'
import { queryClient } from '../../ui/data/query.ts'
import { readServerConfig } from '../../ui/data/server-config.ts'
import { prefetchForUser, sessionQuery } from '../../ui/data/session.ts'
import { sendEdit } from '../../ui/form/conflict/edits.ts'
import { firstQuery, type ServerList } from '../../ui/table/rows/use-rows.ts'
import { complain, succeed } from '../../ui/toasts.ts'
import type { CreateUserBody, ListedUser, PatchUserBody, User } from '../contract.ts'

const path = '/api/v1/admin/user'

export const userList: ServerList = {
  key: ['users', 'list'],
  path: '/api/v1/admin/users',
}

/** What the list of users shows first, together: who awaits approval would otherwise push the list down. */
export const loadUsers = () =>
  Promise.all([
    prefetchForUser(firstQuery<ListedUser>(userList)),
    // It names the providers.
    readServerConfig(),
    can(queryClient.getQueryData(sessionQuery.queryKey), 'Admin', 2) && queryClient.prefetchQuery(waitingQuery),
  ])

export const userQuery = (email: string) =>
  queryOptions({
    queryKey: ['users', 'user', email],
    queryFn: async () => (await api.get<User>(path, { params: { email } })).data,
  })

export type Unique = 'email' | 'username'

export const takenKey = ['users', 'taken'] as const

/** Whether a user with another id has this email or username. */
export const takenQuery = (what: Unique, text: string, id: string | undefined) =>
  queryOptions({
    queryKey: [...takenKey, what, text, id],
    queryFn: async ({ signal }) => {
      const params = { [what]: text, ...(id !== undefined && { id }) }
      return (await api.get<{ exists: boolean }>(`${path}/${what}existcheck`, { params, signal })).data.exists
    },
    meta: { quiet: true },
  })

/** After a change: stores the user from the answer and reloads the rest, with the session in case it is their own. */
function useUpdateCache() {
  const client = useQueryClient()
  return (user: User) => {
    client.setQueryData(userQuery(user.email).queryKey, user)
    void client.invalidateQueries({ queryKey: takenKey })
    void client.invalidateQueries({ queryKey: sessionQuery.queryKey })
    void client.invalidateQueries({ queryKey: userList.key })
  }
}

export function useCreateUser() {
  const updateCache = useUpdateCache()
  return useMutation({
    mutationFn: async (body: CreateUserBody) => (await api.post<User>(path, body)).data,
    onSuccess: (user) => {
      succeed('Successfully created user.')
      updateCache(user)
    },
  })
}

export function useChangeUser() {
  const updateCache = useUpdateCache()
  return useMutation({
    mutationFn: (body: PatchUserBody) => sendEdit<User>(path, body),
    onSuccess: (outcome) => {
      if ('current' in outcome) return
      succeed('Successfully edited user.')
      updateCache(outcome.saved)
    },
  })
}

export function useRemoveUser() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (email: string) => api.delete(path, { params: { email } }),
    onSuccess: () => {
      succeed('Successfully deleted user.')
      void client.invalidateQueries({ queryKey: takenKey })
      return client.invalidateQueries({ queryKey: userList.key })
    },
  })
}

/** Signs a user out everywhere, except in this browser. */
export function useEndSessionsOf() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (id: string) =>
      (await api.delete<{ ended: number }>(`${path}/sessions`, { params: { id } })).data,
    onSuccess: ({ ended }) => succeed(ended === 1 ? 'Ended 1 session.' : `Ended ${ended} sessions.`),
    onSettled: () => client.invalidateQueries({ queryKey: ['users', 'user'] }),
  })
}

export const passwordRefused = 'Something went wrong.'
export function useSetPassword() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { id: string; password: string }) => api.patch(`${path}/password`, body),
    meta: { quiet: true },
    onSuccess: () => {
      succeed('Successfully updated credentials.')
      // A first password is a new sign-in method.
      void client.invalidateQueries({ queryKey: ['users', 'user'] })
    },
    onError: (error) => isKeptBack(error) || complain(passwordRefused),
  })
}

/** Removes a user's second factor; what the server then says of the user is loaded again. */
export function useResetFactor() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => api.delete(`${path}/second-factor`, { params: { id } }),
    onSuccess: () => succeed('Reset two-step sign-in.'),
    onSettled: () => client.invalidateQueries({ queryKey: ['users'] }),
  })
}

/** Removes a user who no longer has this email from the cache. */
export function useForgetUser() {
  const client = useQueryClient()
  return (email: string) => client.removeQueries({ queryKey: userQuery(email).queryKey })
}
