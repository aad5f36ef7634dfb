/** What a record says, in words, by the labels of its form. */
export type Words = Readonly<Record<string, string>>

/** What others changed since a form was filled, `mine` where it was edited there too, and the labels of all that was. */
export type Comparison = {
  changes: { label: string; before: string; theirs: string; mine: string | undefined }[]
  edited: string[]
}

/** Compares what a form began with, what is saved now, and what is typed, where fields nobody typed into follow what is saved. */
export function compare(before: Words, theirs: Words, mine: Words): Comparison {
  const edited = Object.keys(mine).filter((label) => mine[label] !== theirs[label])
  const changes = Object.keys(theirs).flatMap((label) => {
    const [was = '', now = ''] = [before[label], theirs[label]]
    return was === now
      ? []
      : [{ label, before: was, theirs: now, mine: edited.includes(label) ? mine[label] : undefined }]
  })
  return { changes, edited }
}
