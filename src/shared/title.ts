/** What a channel is called: its name, else where its messages go. */
export function channelTitle(
  { name, settings }: { name: string | null; settings: Readonly<Record<string, unknown>> },
  label: string,
): string {
  const { to, chat, url } = settings
  const target = typeof url === 'string' ? (URL.parse(url)?.host ?? url) : (to ?? chat)
  return name ?? (typeof target === 'string' ? target : label)
}

/** What an entry is called: its name, else what it is about. Of a relay, that is known since Heroku's first delivery. */
export const titleOf = ({ name, about }: { name: string | null; about: string }): string =>
  name ?? (about === '' ? 'Waiting for first delivery' : about)
