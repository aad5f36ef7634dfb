import { readFileSync } from 'node:fs'

const dimensions = {
  identity: { signingIn: ['known', 'unknown'], linking: ['unknown', 'known', "another's"] },
  email: ['verified', 'unverified', 'no email'],
  here: ['free', 'verified', 'unverified'],
  status: ['Blocked', 'Inactive', 'Active'],
  signUp: ['open', 'approval', 'closed'],
} as const
type Flow = keyof (typeof dimensions)['identity']
export type Case = {
  flow: Flow
  identity: string
  email: string
  /** `–` where there is no address to look for. */
  here: string
  /** `–` where no user is found. */
  status: string
  signUp: string
}
/** A row of the document, and what it says becomes of its cases. */
export type Row = { flow: Flow; cells: readonly (readonly string[])[]; outcome: string }

const document = readFileSync(new URL('../../docs/sign-in.md', import.meta.url), 'utf8')

/** The cells of the table under this heading. */
function table(heading: string): string[][] {
  const section = document.split(/^## /m).find((part) => part.startsWith(heading)) ?? ''
  const lines = section.split('\n').filter((line) => line.startsWith('|'))
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  return lines.slice(2).map(cells)
}

const rowsUnder = (heading: string, flow: Flow): Row[] =>
  table(heading).map((cells) => ({
    flow,
    cells: cells.slice(0, -1).map((cell) => cell.split(', ')),
    outcome: cells.at(-1) ?? '',
  }))
export const rows = [...rowsUnder('Signing in', 'signingIn'), ...rowsUnder('Linking', 'linking')]
/** The sentences of the document by the name of the refusal. */
export const sentences = Object.fromEntries(table('What a refusal says')) as Record<string, string>

/** Every case there is, whatever the document says. */
export const cases: readonly Case[] = (['signingIn', 'linking'] as const).flatMap((flow) =>
  dimensions.identity[flow].flatMap((identity) =>
    dimensions.email.flatMap((email) =>
      heres(flow, identity, email).flatMap((here) =>
        statuses(flow, identity, here).flatMap((status) =>
          dimensions.signUp.map((signUp) => ({ flow, identity, email, here, status, signUp })),
        ),
      ),
    ),
  ),
)

function heres(flow: Flow, identity: string, email: string): readonly string[] {
  if (email !== 'no email' && flow === 'signingIn' && identity === 'unknown') return [...dimensions.here, 'admin']
  if (email !== 'no email') return dimensions.here
  // A user who is known has an address, whatever the provider says.
  return flow === 'signingIn' && identity === 'unknown' ? ['–'] : ['verified', 'unverified']
}

function statuses(flow: Flow, identity: string, here: string): readonly string[] {
  const nobodyFound = flow === 'signingIn' && identity === 'unknown' && ['free', '–'].includes(here)
  return nobodyFound ? ['–'] : dimensions.status
}

/** The rows that speak of a case; there must be one. */
export const rowsOf = (one: Case): Row[] =>
  rows.filter(({ flow, cells }) => {
    const values = [one.identity, one.email, one.here, one.status, one.signUp]
    return flow === one.flow && values.every((value, n) => cells[n]?.includes(value) || cells[n]?.includes('any'))
  })
