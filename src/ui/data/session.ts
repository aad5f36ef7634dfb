import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { AxiosError } from 'axios'
import type { Roles, SessionUser } from '../../shared/user.ts'
import { authorId, hasUnsaved } from '../navigation/editing.ts'
import { api, someoneElse } from './api.ts'
import { queryClient } from './query.ts'

/** The token of the session that was asked for last. */
let knownToken = ''
const tokenNow = () => /XSRF-TOKEN=([^;]*)/.exec(document.cookie)?.[1] ?? ''

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => {
    const { user } = (await api.get<{ user: SessionUser | null }>('/api/v1/auth/session')).data
    knownToken = tokenNow()
    return user
  },
  staleTime: 15_000,
})

/** Another tab may have signed in as somebody else, and every call of this one would be in their name. */
api.interceptors.request.use(async (config) => {
  if (config.method === 'get' || !hasUnsaved() || tokenNow() === knownToken) return config
  const user = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
  if (user && user.id !== authorId()) throw new AxiosError(`You're signed in as ${user.name} now.`, someoneElse)
  return config
})

/** Who is signed in; null when nobody is, undefined while it is not known. */
export const useSessionUser = (): SessionUser | null | undefined => useQuery(sessionQuery).data

/** Whether that is being found out for the first time. */
export const useSessionPending = (): boolean => useQuery(sessionQuery).isPending

/** Forgets everything that was read for whoever was signed in before. */
export function forgetSession() {
  if (!hasUnsaved()) queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== 'session' })
  return queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
}

const signingOut = ['sign-out']
/** Whether whoever is here is leaving by their own wish. */
export const isSigningOut = (): boolean => queryClient.isMutating({ mutationKey: signingOut }) > 0

export const useSignOut = (then: () => void) =>
  useMutation({
    mutationKey: signingOut,
    mutationFn: () => api.post('/api/auth/sign-out', {}),
    onSuccess: () => {
      queryClient.setQueryData(sessionQuery.queryKey, null)
      then()
      // A screen that still shows what is forgotten would ask for it anew: let it go first.
      setTimeout(() => void forgetSession())
    },
  })

const wantedKey = 'toolbox.wanted'

/** Remembers, for this tab, where one wanted to go before signing in. */
export const rememberWanted = (href: string) => sessionStorage.setItem(wantedKey, href)
export const forgetWanted = () => sessionStorage.removeItem(wantedKey)

const deniedKey = 'toolbox.denied'

/** Remembers, for this tab, the screen that the account in use lacked the role for, and what roles it had. */
export const rememberDenied = (href: string, roles: Roles) =>
  sessionStorage.setItem(deniedKey, `${JSON.stringify(roles)} ${href}`)
export function deniedPlace(): { href: string; roles: string } | null {
  const [, roles = '', place = ''] = /^(\S+) (.+)$/.exec(sessionStorage.getItem(deniedKey) ?? '') ?? []
  const href = ownPath(place)
  return href === null ? null : { href, roles }
}

/** An address of this site alone. */
const ownPath = (href: string | null) => (href && /^\/(?![/\\])/.test(href) ? href : null)

/** Where one wanted to go, once; the home page when nowhere in particular. */
export function takeWanted(): string {
  const href = sessionStorage.getItem(wantedKey)
  forgetWanted()
  return ownPath(href) ?? '/'
}
