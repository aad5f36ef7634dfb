/** At most this many characters of a text, none cut in half. */
export const beginningOf = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : text
