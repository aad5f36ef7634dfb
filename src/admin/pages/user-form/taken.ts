import { useQuery, useQueryClient } from '@tanstack/react-query'
import type * as z from 'zod/mini'
import { Email, Username } from '../../../people/contract.ts'
import { useDebounced } from '../../../ui/debounce.ts'
import { notifyWarning } from '../../../ui/toasts.ts'
import { takenKey, takenQuery, type Unique } from '../calls.ts'
import type { UserValues } from './values.ts'

/** Milliseconds after the last keystroke. */
const wait = 500

type Asked = { text: string; saved: string; id: string | undefined }

/** Whether another user has the typed value; false until the server has responded. */
function useTaken(what: Unique, schema: z.ZodMiniType<string>, { text, saved, id }: Asked): boolean {
  const debounced = useDebounced(text, wait)
  const parsed = schema.safeParse(debounced)
  const worthAsking = parsed.success && parsed.data !== saved
  const { data } = useQuery({
    ...takenQuery(what, parsed.success ? parsed.data : '', id),
    enabled: worthAsking,
  })
  return worthAsking && debounced === text && data === true
}

/** The errors for an email or username in use by another user; `warnIfTaken` also shows a toast and checks again. */
export function useTakenFields(values: UserValues, saved: UserValues, id?: string) {
  const client = useQueryClient()
  const email = useTaken('email', Email, { text: values.email, saved: saved.email, id })
  const username = useTaken('username', Username, { text: values.credUsername, saved: saved.credUsername, id })
  const reasons = {
    ...(email && { email: 'This email is already in use.' }),
    ...(username && { credUsername: 'This username is already in use.' }),
  }
  return {
    reasons,
    warnIfTaken(): boolean {
      const labels = [...(email ? ['Email'] : []), ...(username ? ['Username'] : [])]
      if (labels.length === 0) return false
      notifyWarning('Already taken:', labels)
      void client.invalidateQueries({ queryKey: takenKey })
      return true
    },
  }
}
