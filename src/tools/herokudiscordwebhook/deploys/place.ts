import { type Facts, join } from './facts.ts'
import { isContradictory, likenessOf } from './same-deploy.ts'

/** A deploy with its card, as far as there is one. */
export type DeployCard = {
  /** The id of the event that it began with. */
  id: string
  webhookId: string
  threadId: string | null
  messageId: string | null
  /** Where a failure was told: not yet, in the card when it was posted, or in a message of its own. */
  told: 'no' | 'card' | 'message'
  editedFor: string | null
  facts: Facts
}

/** Where an event belongs. `absorbed`: what turned out to be the same deploy. `apart`: the card of a release that turned out not to be. */
export type Placed = { card: DeployCard; absorbed: readonly DeployCard[]; apart: DeployCard | undefined }

/** Finds the card of what an event says among the known ones, or begins one with this id. */
export function place(known: readonly DeployCard[], facts: Facts, blank: Omit<DeployCard, 'facts'>): Placed {
  const sameAs = (likeness: string) => known.filter((card) => likenessOf(card.facts, facts) === likeness)
  const likely = sameAs('likely')
  const sure = sameAs('known')
  // Of several that are only likely, none is.
  const same = sure.length > 0 || likely.length > 1 ? sure : likely
  // The oldest message stays, and is found where it was.
  const [first = { ...blank, facts }, ...absorbed] = same.toSorted(byMessage)
  const all = same.reduce((joined, card) => join(joined, card.facts), facts)
  const told = [first, ...absorbed].find((card) => card.told !== 'no')?.told ?? 'no'
  const card = { ...first, facts: all, told: first.told === 'no' && told === 'card' ? 'message' : told }
  if (!isContradictory(all) || !all.release) return { card, absorbed, apart: undefined }
  const { release, ...build } = all
  // The message stays with the release, and the build begins anew.
  return { card: { ...blank, facts: build }, absorbed, apart: { ...card, facts: { app: all.app, release } } }
}

const byMessage = (one: DeployCard, other: DeployCard) =>
  Number(one.messageId === null) - Number(other.messageId === null) || (one.id < other.id ? -1 : 1)
