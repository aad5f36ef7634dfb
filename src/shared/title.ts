/** A channel's title: its name, else the target of its messages, else the label of its type. */
export function channelTitle(
  { name, settings }: { name: string | null; settings: Readonly<Record<string, unknown>> },
  label: string,
): string {
  const { to, chat, url } = settings
  const target = typeof url === 'string' ? (URL.parse(url)?.host ?? url) : (to ?? chat)
  return name ?? (typeof target === 'string' ? target : label)
}

/** An entry's title: its name, else its subject. A relay has no subject before Heroku's first delivery. */
export const titleOf = ({ name, about }: { name: string | null; about: string }): string =>
  name ?? (about === '' ? 'Waiting for first delivery' : about)
