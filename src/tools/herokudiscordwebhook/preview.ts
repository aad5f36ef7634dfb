import type * as z from 'zod/mini'
import type { Context } from '../../platform/context.ts'
import { invalid } from '../../shared/http-error.ts'
import type { Preview, PreviewBody } from './contract.ts'
import { parseEvent, verdictOf } from './event/event.ts'
import { examples } from './event/examples.ts'
import { messageOf } from './message/message.ts'
import { cardStore, likenessOf, matchCard } from './outbound/deploy-cards.ts'
import { type Facts, factsOf, join, publishedAt } from './outbound/deploy-facts.ts'
import { deployMessage, hasFailed } from './outbound/send-deploy.ts'

type Options = Omit<z.infer<typeof PreviewBody>, 'id'>
/** An entry with the payload of its newest event, if it has any. */
type Entry = { id: string; last: unknown }

const names = examples.map(({ name }) => name)
/** A deploy shows what a card is at its end. */
const wholeDeploy = 'release-succeeded'

/** The message for an example or an entry's newest event, and whether the filter allows it. */
export async function preview(context: Context, options: Options, entry: Entry | undefined): Promise<Preview> {
  const usual = options.card ? wholeDeploy : names[0]
  const chosen = options.example ?? (entry?.last === undefined ? usual : undefined)
  const example = examples.find(({ name }) => name === chosen)
  if (chosen !== undefined && !example) throw invalid('example', 'Example not found.')
  const event = parseEvent(example ? example.payload : entry?.last)
  if ('problem' in event) throw invalid('example', event.problem)
  const verdict = verdictOf(options.filter, event)
  const facts = options.card ? factsOf(event) : undefined
  const result = facts
    ? cardOf(facts, example ? earlierExamples(facts) : await known(context, entry, facts), options)
    : ({ message: messageOf(event, options), outcome: 'message' } as const)
  return {
    ...result,
    dropped: verdict.relay ? null : verdict.why,
    example: example?.name ?? null,
    examples: names,
  }
}

/** The card with what was known before. A failure is shown as the new message that it is posted as. */
function cardOf(facts: Facts, before: Facts | undefined, options: Options): Pick<Preview, 'message' | 'outcome'> {
  const all = before ? join(before, facts) : facts
  const isFailure = hasFailed(all)
  const message = deployMessage(all, { ...options, mentionRole: isFailure ? options.mentionRole : null })
  if (!before) return { message, outcome: 'card' }
  return { message, outcome: isFailure ? 'failure' : 'edit' }
}

async function known({ db, now }: Context, entry: Entry | undefined, facts: Facts): Promise<Facts | undefined> {
  if (!entry) return undefined
  const cards = await cardStore(db.q).near(entry.id, facts, now())
  const { card } = matchCard(cards, facts, { id: '', webhookId: '', threadId: null })
  return card.id === '' ? undefined : card.facts
}

const deployed: readonly Facts[] = examples
  .map(({ payload }) => parseEvent(payload))
  .flatMap((event) => ('problem' in event ? [] : (factsOf(event) ?? [])))

/** What the examples before say of the same deploy. */
const earlierExamples = (facts: Facts): Facts | undefined =>
  deployed
    .filter((other) => publishedAt(other) < publishedAt(facts) && likenessOf(other, facts) !== 'none')
    .reduce<Facts | undefined>((joined, other) => (joined ? join(joined, other) : other), undefined)
