/** What to do about deliveries that were refused for this reason. */
export const remedyFor = (why: string): string =>
  why === 'no signature'
    ? 'Heroku has no secret for this endpoint. Set this one with heroku webhooks:update and -s.'
    : "Set this entry's secret in Heroku with heroku webhooks:update and -s, or paste Heroku's secret here."

/** What Discord's answer means to whoever has to mend it. */
export function causeOf(why: string): string {
  if (why.startsWith('answered 404'))
    return 'The webhook or thread was deleted. Create a new one and enter its URL here.'
  if (why.startsWith('answered 401')) return 'The URL is no longer valid. Copy it again from Discord and enter it here.'
  return "Discord doesn't allow posting there. Create a webhook in another channel and enter its URL here."
}

export const heldText = (held: number): string =>
  held === 1 ? '1 event waiting to be replayed' : `${held} events waiting to be replayed`

export const countOf = (refused: number): string =>
  refused === 1 ? '1 delivery rejected' : `${refused} deliveries rejected`
