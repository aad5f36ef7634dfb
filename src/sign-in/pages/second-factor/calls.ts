import { queryOptions, useMutation } from '@tanstack/react-query'
import { call, callQuery, type Input, reload, useCall } from '../../../ui/data/call.ts'

export const ownFactorQuery = callQuery('GET /api/v1/user/second-factor')
const onSuccess = () => reload(ownFactorQuery)
const meta = { quiet: true }

export const pendingSignInQuery = queryOptions({ ...callQuery('GET /api/v1/auth/second-step'), staleTime: 0 })

export const usePrepare = () => useCall('POST /api/auth/two-factor/enable', { meta })
export const useTurnOff = () => useCall('POST /api/auth/two-factor/disable', { meta, onSuccess })
export const useNewCodes = () => useCall('POST /api/auth/two-factor/generate-backup-codes', { meta, onSuccess })

/** Submits an authenticator or recovery code, to finish signing in or to confirm a new app. */
export const useEnterCode = () =>
  useMutation({
    mutationFn: ({ code, isRecovery }: { code: string; isRecovery: boolean }) =>
      call(`POST /api/auth/two-factor/${isRecovery ? 'verify-backup-code' : 'verify-totp'}`, { code }),
    meta,
    onSuccess,
  })

const webAuthn = () => import('@simplewebauthn/browser')
type CreationOptions = Parameters<Awaited<ReturnType<typeof webAuthn>>['startRegistration']>[0]['optionsJSON']

export const useAddPasskey = () =>
  useMutation({
    mutationFn: async (name: string) => {
      const { startRegistration } = await webAuthn()
      // The contract has no schemas for the library's types, hence the casts.
      const options: object = await call('POST /api/v1/user/passkeys/options', undefined)
      const response: object = await startRegistration({ optionsJSON: options as CreationOptions })
      await call('POST /api/v1/user/passkeys', { name, response: response as NewPasskey['response'] })
    },
    meta,
    onSuccess,
  })
type NewPasskey = Input<'POST /api/v1/user/passkeys'>

export const useRenamePasskey = () => useCall('PATCH /api/v1/user/passkeys', { meta, onSuccess })
export const useDeletePasskey = () => useCall('DELETE /api/v1/user/passkeys', { onSettled: onSuccess })
