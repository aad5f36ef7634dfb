import { readFileSync } from 'node:fs'

const dimensions = {
  identity: { signingIn: ['known', 'unknown'], linking: ['unknown', 'known', "another's"] },
  email: ['verified', 'unverified', 'no email'],
  here: ['free', 'verified', 'unverified'],
  // Waiting: inactive since signing up, because no admin has decided yet.
  status: ['Blocked', 'Inactive', 'Waiting', 'Active'],
  signUp: ['open', 'approval', 'closed'],
} as const
type Flow = keyof (typeof dimensions)['identity']
export type Case = {
  flow: Flow
  identity: string
  email: string
  /** `–` where there is no email to look up. */
  here: string
  /** `–` where no user is found. */
  status: string
  signUp: string
}
/** A row of docs/sign-in.md: the values it covers and their documented outcome. */
export type Row = { flow: Flow; cells: readonly (readonly string[])[]; outcome: string }

const document = readFileSync(new URL('../../docs/sign-in.md', import.meta.url), 'utf8')

/** The cells of the document's table under this heading; `head` selects one of several tables by its header row. */
export function table(heading: string, head = ''): string[][] {
  const section = document.split(/^## /m).find((part) => part.startsWith(heading)) ?? ''
  const tables = section.split('\n\n').filter((part) => part.startsWith('|'))
  const lines = (tables.find((part) => part.includes(head)) ?? '').trim().split('\n')
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  return lines.slice(2).map(cells)
}

/** Splits a row that refuses by status into one row per status. */
const splitByStatus = (cells: string[]): string[][] =>
  cells.at(-1) === 'refused: by status'
    ? cells[3]!.split(', ').map((status) => cells.with(3, status).with(-1, `refused: ${status.toLowerCase()}`))
    : [cells]

const rowsUnder = (heading: string, flow: Flow): Row[] =>
  table(heading)
    .flatMap(splitByStatus)
    .map((cells) => ({ flow, cells: cells.slice(0, -1).map((cell) => cell.split(', ')), outcome: cells.at(-1) ?? '' }))
export const rows = [...rowsUnder('Signing in', 'signingIn'), ...rowsUnder('Linking', 'linking')]
/** The document's rows about invitations: who, email, for, status, SIGN_UP. */
export const invitedRows = table('With an invitation', 'Who')
  .flatMap(splitByStatus)
  .map((cells) => ({ cells: cells.slice(0, -1).map((cell) => cell.split(', ')), outcome: cells.at(-1) ?? '' }))
export const inviteSentences = Object.fromEntries(table('With an invitation', 'Sentence')) as Record<string, string>
export const sentences = Object.fromEntries(table('What a refusal says')) as Record<string, string>

export const idTokens = table('With an OpenID provider', 'ID token').flatMap(([kinds = '', outcome]) =>
  kinds.split('; ').map((kind) => ({ kind, outcome })),
)
/** A user's levels before and after a claim; `others` as in the document. */
export const claimedLevels = table('With an OpenID provider', 'Levels before').flatMap(
  ([claims = '', before = '', others = '', after = '']) =>
    (JSON.parse(`[${claims.replace('missing', '"missing"')}]`) as unknown[]).flatMap((claim) =>
      (others === 'any' ? ['yes', 'no'] : [others]).map((other) => ({ claim, before, others: other, after })),
    ),
)

/** All possible cases, whether or not the document covers them. */
export const cases: readonly Case[] = (['signingIn', 'linking'] as const).flatMap((flow) =>
  dimensions.identity[flow].flatMap((identity) =>
    dimensions.email.flatMap((email) =>
      hereValues(flow, identity, email).flatMap((here) =>
        statuses(flow, identity, here).flatMap((status) =>
          dimensions.signUp.map((signUp) => ({ flow, identity, email, here, status, signUp })),
        ),
      ),
    ),
  ),
)

function hereValues(flow: Flow, identity: string, email: string): readonly string[] {
  if (email !== 'no email' && flow === 'signingIn' && identity === 'unknown') return [...dimensions.here, 'admin']
  if (email !== 'no email') return dimensions.here
  // A known user has an email even if the provider sends none.
  return flow === 'signingIn' && identity === 'unknown' ? ['–'] : ['verified', 'unverified']
}

function statuses(flow: Flow, identity: string, here: string): readonly string[] {
  const nobodyFound = flow === 'signingIn' && identity === 'unknown' && ['free', '–'].includes(here)
  return nobodyFound ? ['–'] : dimensions.status
}

/** The document's rows that cover a case; there must be exactly one. */
export const rowsOf = (one: Case): Row[] =>
  rows.filter(({ flow, cells }) => {
    const values = [one.identity, one.email, one.here, one.status, one.signUp]
    return flow === one.flow && values.every((value, n) => cells[n]?.includes(value) || cells[n]?.includes('any'))
  })

export const accessRows = table('Asking for access').map(
  ([kind = '', decision = '', status = '', tools = '', signIn = '', waits = '', again = '']) => ({
    ...{ kind, decision, status, tools: Number(tools), signIn, waits: waits === 'yes', again },
  }),
)
