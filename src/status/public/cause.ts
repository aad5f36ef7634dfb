/** What everybody may learn of why an entry failed: one of these, by how its own words begin. They may hold texts, names and addresses. */
const causes: readonly (readonly [RegExp, string])[] = [
  [/^timeout\b/, 'No answer in time'],
  [/^dns\b/, 'Name not found'],
  [/^connect\b/, 'No connection'],
  [/^tls\b/, 'Certificate or encryption problem'],
  [/^answered [45]\d\d\b/, 'Answered with an error'],
  [/^answered\b/, 'Unexpected answer'],
]

export const causeOf = (note: string): string => causes.find(([form]) => form.test(note))?.[1] ?? 'Failed'

export const publicCauses: readonly string[] = [...causes.map(([, words]) => words), 'Failed']
