import { parseArgs } from 'node:util'
import { NewInviteBody } from '../admission/invites/contract.ts'
import { makeInvite } from '../admission/invites/make.ts'
import { commandLine } from '../people/audit/log.ts'
import { openSecrets, verifySecret } from '../platform/crypto/secrets.ts'
import { jobs } from '../platform/jobs/jobs.ts'
import { HttpError } from '../shared/http-error.ts'
import { days } from '../shared/time.ts'
import { upgrade } from '../upgrade.ts'
import { type Command, UsageError, withDatabase } from './terminal.ts'

const options = {
  tools: { type: 'string', default: '0' },
  admin: { type: 'string', default: '0' },
  email: { type: 'string' },
  uses: { type: 'string', default: '1' },
  days: { type: 'string', default: '7' },
} as const

/** `invite`: prints the link of a new invitation. */
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
  await withDatabase(terminal, async (db, config) => {
    const now = Date.now
    await upgrade({ db, config, at: now(), say: terminal.say })
    await verifySecret(db, openSecrets(config))
    const made = await makeInvite({ config, db, now, jobs: jobs(db, 'command line', now) }, commandLine, {
      ...body.data,
      expiresAt: now() + days(life ?? 0),
    }).catch((error: unknown) => {
      throw error instanceof HttpError ? new Error(error.message) : error
    })
    if (made.mailed) terminal.say(`The server mails it to ${email}.`)
    else if (email)
      terminal.say(
        'Use it with an account that has verified this email, or with a new password and this email, which stays unverified.',
      )
    const often = uses === 1 ? 'once' : `${uses} times`
    terminal.say(
      `Open this link within ${life === 1 ? '24 hours' : `${life} days`} to join (it works ${often}): ${made.url}`,
    )
  })
}
