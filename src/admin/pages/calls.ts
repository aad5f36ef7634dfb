import { queryOptions, useMutation } from '@tanstack/react-query'
import { waitingQuery } from '../../admission/pages/calls.ts'
import { pages } from '../../shared/pages.ts'
import { can } from '../../shared/user.ts'
import { api, isCallCanceled } from '../../ui/data/api.ts'
import { call, reload, useCall } from '../../ui/data/call.ts'
import { queryClient } from '../../ui/data/query.ts'
import { readServerConfig } from '../../ui/data/server-config.ts'
import { prefetchForUser, sessionQuery } from '../../ui/data/session.ts'
import { outcomeOf } from '../../ui/form/conflict/edits.ts'
import { type SearchSource, splitAtMatch } from '../../ui/search/hits.ts'
import { firstQuery, type ServerList } from '../../ui/table/use-rows.ts'
import { notifyError, notifySuccess } from '../../ui/toasts.ts'
import type { ListedUser, PatchUserBody, User } from '../contract.ts'

export const userList: ServerList = {
  key: ['users', 'list'],
  path: '/api/v1/admin/users',
}

/** Loads the list and the waiting users together: users awaiting approval would otherwise push the list down. */
export const loadUsers = () =>
  Promise.all([
    prefetchForUser(firstQuery<ListedUser>(userList)),
    // The list takes the provider names from it.
    readServerConfig(),
    can(queryClient.getQueryData(sessionQuery.queryKey), 'Admin', 2) && queryClient.prefetchQuery(waitingQuery),
  ])

export const userQuery = (email: string) =>
  queryOptions({
    queryKey: ['users', 'user', email],
    queryFn: () => call('GET /api/v1/admin/user', { email }),
  })

export type Unique = 'email' | 'username'

export const takenKey = ['users', 'taken'] as const

/** Whether a user with another id has this email or username. */
export const takenQuery = (what: Unique, text: string, id: string | undefined) =>
  queryOptions({
    queryKey: [...takenKey, what, text, id],
    queryFn: async ({ signal }) => {
      const answer =
        what === 'email'
          ? call('GET /api/v1/admin/user/emailexistcheck', { email: text, id }, { signal })
          : call('GET /api/v1/admin/user/usernameexistcheck', { username: text, id }, { signal })
      return (await answer).exists
    },
    meta: { quiet: true },
  })

/** Stores this version of a user, then reloads related data, including the session in case it's the admin's own account. */
function updateCache(user: User) {
  const { queryKey } = userQuery(user.email)
  queryClient.setQueryData(queryKey, user)
  // Discards a pending response, which may predate this version.
  void reload({ queryKey }, { queryKey: takenKey }, sessionQuery, { queryKey: userList.key })
}

export const useCreateUser = () =>
  useCall('POST /api/v1/admin/user', {
    onSuccess: (user) => {
      notifySuccess('Successfully created user.')
      updateCache(user)
    },
  })

export const useChangeUser = () =>
  useMutation({
    mutationFn: (body: PatchUserBody) => outcomeOf(call('PATCH /api/v1/admin/user', body)),
    onSuccess: (outcome) => {
      updateCache('saved' in outcome ? outcome.saved : outcome.current)
      if ('saved' in outcome) notifySuccess('Successfully edited user.')
    },
  })

export const useRemoveUser = () =>
  useCall('DELETE /api/v1/admin/user', {
    onSuccess: () => {
      notifySuccess('Successfully deleted user.')
      void reload({ queryKey: takenKey })
      return reload({ queryKey: userList.key })
    },
  })

const reloadUser = () => reload({ queryKey: ['users', 'user'] })

/** Signs a user out everywhere, except in this browser. */
export const useEndSessionsOf = () =>
  useCall('DELETE /api/v1/admin/user/sessions', {
    onSuccess: ({ ended }) => notifySuccess(ended === 1 ? 'Ended 1 session.' : `Ended ${ended} sessions.`),
    onSettled: reloadUser,
  })

const passwordRefused = 'Something went wrong.'
export const useSetPassword = () =>
  useCall('PATCH /api/v1/admin/user/password', {
    meta: { quiet: true },
    onSuccess: () => {
      notifySuccess('Successfully updated credentials.')
      // A first password is a new sign-in method.
      void reloadUser()
    },
    onError: (error) => isCallCanceled(error) || notifyError(passwordRefused),
  })

export const useResetFactor = () =>
  useCall('DELETE /api/v1/admin/user/second-factor', {
    onSuccess: () => notifySuccess('Reset two-step sign-in.'),
    onSettled: () => reload({ queryKey: ['users'] }),
  })

/** Removes a user who no longer has this email from the cache. */
export const forgetUser = (email: string) => queryClient.removeQueries({ queryKey: userQuery(email).queryKey })

const most = 10
/** The longest filter text, in characters, that the list accepts. */
const longest = 100

/** Searches users by name and email. Substring matches come before those with only the letters in order. */
export const usersSource: SearchSource = {
  title: 'Users',
  async find(text, signal) {
    if (text.length > longest) return []
    const by = async (column: 'name' | 'email') => {
      const params = { page: 1, size: most, [`filter[${column}]`]: text }
      return (await api.get<{ rows: ListedUser[] }>(userList.path, { params, signal })).rows
    }
    const rows = (await Promise.all([by('name'), by('email')])).flat()
    const users = [...new Map(rows.map((user) => [user.id, user])).values()]
    const isMeant = ({ name, email }: ListedUser) => Boolean(splitAtMatch(name, text) ?? splitAtMatch(email, text))
    return users
      .toSorted((a, b) => Number(isMeant(b)) - Number(isMeant(a)))
      .slice(0, most)
      .map(({ id, name, email }) => ({
        key: id,
        label: name,
        detail: email,
        to: pages.editUser.path,
        search: { email },
      }))
  },
}
