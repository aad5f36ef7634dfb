import { type Finding, ok, warning } from '../../platform/finding.ts'
import { formatCount } from '../../shared/count.ts'

/** A channel whose messages aren't accepted: whose it is, and its type in words. */
export type FailingChannel = { owner: string; type: string }

const mostNamed = 3

/** Whether notices reach the people who want them. */
export function checkChannels(failing: readonly FailingChannel[]): Finding {
  if (failing.length === 0) return ok('No channel fails.')
  const named = failing.slice(0, mostNamed).map(({ owner, type }) => `${type} of ${owner}`)
  const others = failing.length - named.length
  return warning(
    `${failing.length === 1 ? '1 channel fails' : `${formatCount(failing.length)} channels fail`}: ${named.join(', ')}${
      others > 0 ? ` and ${formatCount(others)} more` : ''
    }.`,
    'Tell their owners, who find the reason on their profile under Channels.',
  )
}
