import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../../ui/data/api.ts'
import { sessionQuery } from '../../../ui/data/session.ts'
import { sendEdit } from '../../../ui/form/conflict/edits.ts'
import { complain, succeed } from '../../../ui/toasts.ts'
import type { CreateUserBody, ListedUser, PatchUserBody, User } from '../../admin/contract.ts'

const path = '/api/v1/admin/user'

/** Every user, as the list shows them. */
export const usersQuery = queryOptions({
  queryKey: ['users', 'list'],
  queryFn: async () => (await api.get<ListedUser[]>('/api/v1/admin/users')).data,
})

/** A user, by email. */
export const userQuery = (email: string) =>
  queryOptions({
    queryKey: ['users', 'user', email],
    queryFn: async () => (await api.get<User>(path, { params: { email } })).data,
  })

/** What may belong to one user only. */
export type Unique = 'email' | 'username'

export const takenKey = ['users', 'taken'] as const

/** Whether somebody other than the user with this id has that email or username. */
export const takenQuery = (what: Unique, text: string, id: string | undefined) =>
  queryOptions({
    queryKey: [...takenKey, what, text, id],
    queryFn: async ({ signal }) => {
      const params = { [what]: text, ...(id !== undefined && { id }) }
      return (await api.get<{ exists: boolean }>(`${path}/${what}existcheck`, { params, signal })).data.exists
    },
    meta: { quiet: true },
  })

/** After a change: the user as answered, everything else about users anew, and who is signed in, should it be them. */
function useTakeIn() {
  const client = useQueryClient()
  return (user: User) => {
    client.setQueryData(userQuery(user.email).queryKey, user)
    void client.invalidateQueries({ queryKey: takenKey })
    void client.invalidateQueries({ queryKey: sessionQuery.queryKey })
    return client.invalidateQueries({ queryKey: usersQuery.queryKey })
  }
}

export function useCreateUser() {
  const takeIn = useTakeIn()
  return useMutation({
    mutationFn: async (body: CreateUserBody) => (await api.post<User>(path, body)).data,
    onSuccess: (user) => {
      succeed('Successfully created user.')
      return takeIn(user)
    },
  })
}

export function useChangeUser() {
  const takeIn = useTakeIn()
  return useMutation({
    mutationFn: (body: PatchUserBody) => sendEdit<User>(path, body),
    onSuccess: (outcome) => {
      if ('current' in outcome) return
      succeed('Successfully edited user.')
      return takeIn(outcome.saved)
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
      return client.invalidateQueries({ queryKey: usersQuery.queryKey })
    },
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
    onError: () => complain(passwordRefused),
  })
}

/** Forgets a user who is not found under this email any more. */
export function useForgetUser() {
  const client = useQueryClient()
  return (email: string) => client.removeQueries({ queryKey: userQuery(email).queryKey })
}
