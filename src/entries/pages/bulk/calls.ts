import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, reason } from '../../../ui/data/api.ts'
import { notify } from '../../../ui/toasts.ts'
import type { Act, BulkAnswer } from '../../bulk/contract.ts'
import type { PageNames } from '../tool-pages.ts'
import { outcome } from './words.ts'

/** So few that the user sees how it goes on, and no proxy on the way loses its patience. */
const atOnce = 100

export type Asked = { act: Act; ids: readonly string[]; owner?: string }

/** Acts on the entries, some at a time; once something is done, a call that fails is a reason like any other. */
export async function actOnAll(
  path: string,
  { act, ids, owner }: Asked,
  onProgress: (count: number) => void,
): Promise<BulkAnswer> {
  const sum: { [List in keyof BulkAnswer]-?: NonNullable<BulkAnswer[List]> } = { done: [], unchanged: [], refused: [] }
  for (let at = 0; at < ids.length; at += atOnce) {
    const some = ids.slice(at, at + atOnce)
    try {
      const body = { ids: some, act, ...(owner !== undefined && { owner }) }
      const { done, unchanged = [], refused } = (await api.post<BulkAnswer>(`${path}/bulk`, body)).data
      sum.done.push(...done)
      sum.unchanged.push(...unchanged)
      sum.refused.push(...refused)
    } catch (error) {
      if (sum.done.length === 0) throw error
      sum.refused.push(...ids.slice(at).map((id) => ({ id, why: reason(error) })))
      break
    }
    onProgress(at + some.length)
  }
  return sum
}

/** Acts on many entries and says what came of it. */
export function useActOnMany(tool: PageNames, onProgress: (count: number) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (asked: Asked) => actOnAll(tool.path, asked, onProgress),
    onSuccess: (answer, asked) => {
      notify(outcome(asked, answer))
      return client.invalidateQueries({ queryKey: ['entries', tool.id] })
    },
  })
}
