import { queryOptions, useMutation } from '@tanstack/react-query'
import type { SessionUser } from '../../../shared/user.ts'
import { api } from '../../../ui/data/api.ts'
import { queryClient } from '../../../ui/data/query.ts'
import type { OwnFactor, PreparedFactor } from '../../second-factor/contract.ts'

const paths = {
  own: '/api/v1/user/second-factor',
  factor: '/api/auth/two-factor',
  passkeys: '/api/v1/user/passkeys',
}

export const ownFactorQuery = queryOptions({
  queryKey: ['own', 'second-factor'],
  queryFn: async () => (await api.get<OwnFactor>(paths.own)).data,
})
const reload = () => queryClient.invalidateQueries({ queryKey: ownFactorQuery.queryKey })

export const pendingSignInQuery = queryOptions({
  queryKey: ['second-step'],
  queryFn: async () => (await api.get<{ methods: ('totp' | 'passkey')[] }>('/api/v1/auth/second-step')).data.methods,
  staleTime: 0,
})

/** The current password, left out by users who have none. */
type Proof = { password?: string }
export type Prepared = PreparedFactor

export const usePrepare = () =>
  useMutation({
    mutationFn: async (proof: Proof) => (await api.post<Prepared>(`${paths.factor}/enable`, proof)).data,
    meta: { quiet: true },
  })

export const useTurnOff = () =>
  useMutation({
    mutationFn: (proof: Proof) => api.post(`${paths.factor}/disable`, proof),
    meta: { quiet: true },
    onSuccess: reload,
  })

export const useNewCodes = () =>
  useMutation({
    mutationFn: async (proof: Proof) =>
      (await api.post<{ backupCodes: string[] }>(`${paths.factor}/generate-backup-codes`, proof)).data.backupCodes,
    meta: { quiet: true },
    onSuccess: reload,
  })

/** Enters a code of the app, or a recovery code: to finish signing in, or to confirm a new app. */
export const useEnterCode = () =>
  useMutation({
    mutationFn: ({ code, isRecovery }: { code: string; isRecovery: boolean }) =>
      api.post<{ user: SessionUser }>(`${paths.factor}/${isRecovery ? 'verify-backup-code' : 'verify-totp'}`, { code }),
    meta: { quiet: true },
    onSuccess: reload,
  })

const webAuthn = () => import('@simplewebauthn/browser')
type CreationOptions = Parameters<Awaited<ReturnType<typeof webAuthn>>['startRegistration']>[0]['optionsJSON']

export const useAddPasskey = () =>
  useMutation({
    mutationFn: async (name: string) => {
      const { startRegistration } = await webAuthn()
      const { data: optionsJSON } = await api.post<CreationOptions>(`${paths.passkeys}/options`)
      const response = await startRegistration({ optionsJSON })
      await api.post(paths.passkeys, { name, response })
    },
    meta: { quiet: true },
    onSuccess: reload,
  })

export const useRenamePasskey = () =>
  useMutation({
    mutationFn: (passkey: { id: string; name: string }) => api.patch(paths.passkeys, passkey),
    meta: { quiet: true },
    onSuccess: reload,
  })

export const useDeletePasskey = () =>
  useMutation({
    mutationFn: (params: { id: string }) => api.delete(paths.passkeys, { params }),
    onSettled: reload,
  })
