/** The values of a record as text, keyed by the labels of its form. */
export type ValueTexts = Readonly<Record<string, string>>

/** Others' changes since the form was filled (`mine` if it changes the same field), and all labels the form changes. */
export type Comparison = {
  changes: { label: string; before: string; theirs: string; mine: string | undefined }[]
  edited: string[]
}

/** Compares the version a form started from, the saved version and the form; untouched fields equal the saved ones. */
export function compare(before: ValueTexts, theirs: ValueTexts, mine: ValueTexts): Comparison {
  const edited = Object.keys(mine).filter((label) => mine[label] !== theirs[label])
  const changes = Object.keys(theirs).flatMap((label) => {
    const [was = '', now = ''] = [before[label], theirs[label]]
    return was === now
      ? []
      : [{ label, before: was, theirs: now, mine: edited.includes(label) ? mine[label] : undefined }]
  })
  return { changes, edited }
}
