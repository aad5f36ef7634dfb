import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { NewInviteBody } from '../admission/invites/contract.ts'
import { makeInvite } from '../admission/invites/make.ts'
import { createNotify } from '../notices/notify.ts'
import { commandLine } from '../people/audit/log.ts'
import { openSecrets, verifySecret } from '../platform/crypto/secrets.ts'
import { jobs } from '../platform/jobs/jobs.ts'
import { HttpError } from '../shared/http-error.ts'
import { days } from '../shared/time.ts'
import { createAdmin, inviteAdmin, passwordLink, resetFactor, resetPassword } from '../sign-in/set-up.ts'
import { upgrade } from '../upgrade.ts'
import { type Command, openQuestions, type Terminal, UsageError, withDatabase } from './terminal.ts'

/** Runs the `admin` commands; `create` and `reset-password` read a password from stdin or print a one-time link. */
export const admin: Command = async ([verb, ...args], terminal) => {
  if (verb === 'create') return create(args, terminal)
  if (verb === 'reset-password') return reset(args, terminal)
  if (verb === 'reset-second-factor') return resetTwoSteps(args, terminal)
  throw new UsageError('Use admin create, admin reset-password or admin reset-second-factor.')
}

async function create(args: string[], terminal: Terminal): Promise<void> {
  const options = { email: { type: 'string' }, username: { type: 'string' } } as const
  const { email, username } = parseArgs({ args, options }).values
  if (!email || !username) throw new UsageError('admin create needs --email and --username.')
  const password = await pipedPassword()
  await withAdminContext(terminal, async (context) => {
    if (password === undefined) {
      const link = await inviteAdmin(context, { email, username })
      return terminal.say(`Open this link within 24 hours to set the password (it works once): ${link}`)
    }
    await createAdmin(context, { email, username, password })
    terminal.say(`Created the admin ${username}.`)
  })
}

async function reset(args: string[], terminal: Terminal): Promise<void> {
  const username = usernameIn(args, 'admin reset-password')
  const password = await pipedPassword()
  await withAdminContext(terminal, async (context) => {
    if (password === undefined) {
      const link = await passwordLink(context, username)
      return terminal.say(`Open this link within 24 hours to set the password (it works once): ${link}`)
    }
    await resetPassword(context, username, password)
    terminal.say(`Set the password of ${username} and ended their sessions.`)
  })
}

async function resetTwoSteps(args: string[], terminal: Terminal): Promise<void> {
  const username = usernameIn(args, 'admin reset-second-factor')
  await withAdminContext(terminal, async (context) => {
    await resetFactor(context, username)
    terminal.say(`Reset the two-step sign-in of ${username} and ended their sessions.`)
  })
}

function usernameIn(args: string[], command: string): string {
  const { username } = parseArgs({ args, options: { username: { type: 'string' } } }).values
  if (username) return username
  throw new UsageError(`${command} needs --username.`)
}

type AdminContext = Parameters<typeof createAdmin>[0] & Parameters<typeof makeInvite>[0]

async function withAdminContext(terminal: Terminal, act: (context: AdminContext) => Promise<void>): Promise<void> {
  await withDatabase(terminal, async (db, config) => {
    await upgrade({ db, config, at: Date.now(), say: terminal.say })
    await verifySecret(db, openSecrets(config))
    try {
      const now = Date.now
      const work = jobs(db, randomUUID(), now)
      await act({ config, db, now, jobs: work, notify: createNotify({ db, now, jobs: work }) })
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      const fields = Object.entries(error.fields ?? {}).map(([field, why]) => `${field}: ${why}`)
      throw new Error(fields.length > 0 ? fields.join('\n') : error.message)
    }
  })
}

/** Returns the first line piped into stdin; undefined for a terminal, empty input or a silent pipe. */
async function pipedPassword(): Promise<string | undefined> {
  const questions = openQuestions()
  try {
    return questions.isTerminal ? undefined : (await questions.ask('')) || undefined
  } finally {
    questions.close()
  }
}

const options = {
  tools: { type: 'string', default: '0' },
  admin: { type: 'string', default: '0' },
  email: { type: 'string' },
  uses: { type: 'string', default: '1' },
  days: { type: 'string', default: '7' },
} as const

export const invite: Command = async (args, terminal) => {
  const { email, ...numbers } = parseArgs({ args, options }).values
  const [tools, admin, uses, life] = (['tools', 'admin', 'uses', 'days'] as const).map((name) => {
    if (/^\d{1,4}$/.test(numbers[name])) return Number(numbers[name])
    throw new UsageError(`--${name} needs a number.`)
  })
  if (life === 0) throw new UsageError('--days must be at least 1.')
  const body = NewInviteBody.safeParse({ roles: { Admin: admin, Tools: tools }, uses, ...(email && { email }) })
  if (!body.success) {
    const [{ path, message } = { path: [], message: '' }] = body.error.issues
    throw new UsageError(`--${String(path.at(-1)).toLowerCase()}: ${message}`)
  }
  await withAdminContext(terminal, async (context) => {
    const expiresAt = context.now() + days(life ?? 0)
    const newInvite = await makeInvite(context, commandLine, { ...body.data, expiresAt })
    if (newInvite.mailed) terminal.say(`The server mails it to ${email}.`)
    else if (email)
      terminal.say(
        'Use it with an account that has verified this email, or with a new password and this email, which stays unverified.',
      )
    const often = uses === 1 ? 'once' : `${uses} times`
    terminal.say(
      `Open this link within ${life === 1 ? '24 hours' : `${life} days`} to join (it works ${often}): ${newInvite.url}`,
    )
  })
}
