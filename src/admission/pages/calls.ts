import { queryOptions, useMutation } from '@tanstack/react-query'
import { formatCount } from '../../shared/count.ts'
import { call, reload } from '../../ui/data/call.ts'
import { runInBatches } from '../../ui/table/selection/batches.ts'
import { notifySuccess, notifyWarning } from '../../ui/toasts.ts'
import type { AccessRequest, Decision, WaitingPage } from '../access/contract.ts'

const mostShown = 200

/** The newest waiting users and the total. Reloads on inbox events, which announce requests and admins' decisions. */
export const waitingQuery = queryOptions({
  queryKey: ['users', 'list', 'waiting'],
  queryFn: () => call('GET /api/v1/admin/access-requests', { page: 1, size: mostShown }) as Promise<WaitingPage>,
  // The list of users shows the error.
  meta: { about: { topic: 'inbox' }, quiet: true },
})

export const areAll = (people: readonly AccessRequest[], kind: AccessRequest['kind']): boolean =>
  people.every((one) => one.kind === kind)

function pastOf(decision: Decision, people: readonly AccessRequest[]): string {
  if (decision === 'tools') return areAll(people, 'request') ? 'Gave Tools to' : 'Approved and gave Tools to'
  return decision === 'approve' ? 'Approved' : 'Declined'
}

/** Decides requests, in several calls if there are many, and shows which ones were refused. */
export const useDecide = () =>
  useMutation({
    mutationFn: ({ people, decision }: { people: readonly AccessRequest[]; decision: Decision }) =>
      runInBatches(
        people.map(({ id }) => id),
        (ids) => call('POST /api/v1/admin/access-requests/decide', { ids, decision }),
        () => {},
      ),
    onSuccess: ({ done, refused }, { people, decision }) => {
      const emails = new Map(people.map(({ id, email }) => [id, email]))
      if (done.length > 0)
        notifySuccess(
          `${pastOf(decision, people)} ${done.length === 1 ? emails.get(done[0] ?? '') : `${formatCount(done.length)} users`}.`,
        )
      if (refused.length > 0)
        notifyWarning(
          'Not decided:',
          refused.map(({ id, why }) => `${emails.get(id)}: ${why}`),
        )
    },
    // Decided users may be on any screen of the admin area.
    onSettled: () => reload({ queryKey: ['users'] }),
  })
