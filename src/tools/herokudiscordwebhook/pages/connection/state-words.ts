/** What to do about deliveries that were refused for this reason. */
export const remedyFor = (why: string): string =>
  why === 'no signature'
    ? 'Heroku has no secret for this endpoint: give it this one with heroku webhooks:update and -s.'
    : 'Give Heroku the secret of this entry with heroku webhooks:update and -s, or paste the one that Heroku has here.'

/** What Discord's answer means to whoever has to mend it. */
export function causeOf(why: string): string {
  if (why.startsWith('answered 404'))
    return 'The webhook, or the thread, was deleted. Make a new one and put its URL here.'
  if (why.startsWith('answered 401')) return 'The URL is not valid any more. Copy it again in Discord and put it here.'
  return 'Discord forbids posting there. Make a webhook in a channel that allows it and put its URL here.'
}

export const heldText = (held: number): string =>
  held === 1 ? '1 event waits for a replay' : `${held} events wait for a replay`

export const countOf = (refused: number): string =>
  refused === 1 ? '1 delivery refused' : `${refused} deliveries refused`
