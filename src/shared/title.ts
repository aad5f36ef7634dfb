/** What an entry is called: its name, else what it is about, else its id. */
export const titleOf = ({ name, about, id }: { name: string | null; about: string; id: string }): string =>
  name ?? (about === '' ? id : about)
