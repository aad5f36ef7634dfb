import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../../ui/data/api.ts'
import { actInPieces, type Outcome } from '../../../ui/table/selection/in-pieces.ts'
import { notify } from '../../../ui/toasts.ts'
import type { Act, BulkAnswer } from '../../bulk/contract.ts'
import type { PageNames } from '../tool-pages.ts'
import { outcome } from './words.ts'

export type Asked = { act: Act; ids: readonly string[]; owner?: string }

/** Acts on many entries and says what came of it; `onDone` hears it at the same moment, before the rows are asked for again. */
export function useActOnMany(tool: PageNames, onProgress: (count: number) => void, onDone: (answer: Outcome) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ ids, ...asked }: Asked) =>
      actInPieces(
        ids,
        async (some) => (await api.post<BulkAnswer>(`${tool.path}/bulk`, { ...asked, ids: some })).data,
        onProgress,
      ),
    onSuccess: (answer, asked) => {
      onDone(answer)
      notify(outcome(asked, answer))
      return client.invalidateQueries({ queryKey: ['entries', tool.id] })
    },
  })
}
