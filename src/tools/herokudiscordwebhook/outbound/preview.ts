import type * as z from 'zod/mini'
import { invalid } from '../../../shared/http-error.ts'
import type { Preview, PreviewBody } from '../contract.ts'
import { parseEvent } from '../inbound/event/event.ts'
import { examples } from '../inbound/event/examples/examples.ts'
import { verdictOf } from '../inbound/filter.ts'
import { messageOf } from './message.ts'

/** What an event says with these options, and whether they let it through. `last` is the newest one an entry has seen. */
export function preview(options: z.infer<typeof PreviewBody>, last: unknown): Preview {
  const names = examples.map(({ name }) => name)
  const chosen = options.example ?? (last === undefined ? names[0] : undefined)
  const example = examples.find(({ name }) => name === chosen)
  if (chosen !== undefined && !example) throw invalid('example', 'Example not found.')
  const event = parseEvent(example ? example.payload : last)
  if ('problem' in event) throw invalid('example', event.problem)
  const verdict = verdictOf(options.filter, event)
  return {
    message: messageOf(event, options),
    dropped: verdict.relay ? null : verdict.why,
    example: example?.name ?? null,
    examples: names,
  }
}
