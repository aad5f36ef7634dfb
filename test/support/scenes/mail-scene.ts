import { beforeEach } from 'vitest'
import { hours } from '../../../src/shared/time.ts'
import type { Dialect } from '../database/databases.ts'
import { fakeSmtp } from '../fakes/fake-smtp.ts'
import { closeAfterwards, toolbox } from '../toolbox.ts'

/** The server with a mail server, one for all tests of a file; each begins hours later and without mails. */
export async function mailScene(dialect: Dialect, env: Record<string, string> = {}) {
  const smtp = closeAfterwards(await fakeSmtp())
  const box = closeAfterwards(await toolbox(dialect, { ...smtp.env, ...env }))
  beforeEach(async () => {
    await box.db.q.deleteFrom('job').execute()
    await box.db.q.deleteFrom('mail').execute()
    box.pass(hours(2))
    smtp.mails.length = 0
    smtp.says('250 OK')
  })
  return {
    box,
    smtp,
    /** Time passes, and what is due then is done. */
    async wait(ms = 0) {
      box.pass(ms)
      await box.work.runDue()
    },
    /** To whom mails went, and about what, oldest first. */
    sent: () => smtp.mails.map(({ to, source }) => `${to.join(', ')}: ${/^Subject: (.*)$/m.exec(source)?.[1]}`),
    /** The text of the newest mail. */
    text: () => textOf(smtp.mails.at(-1)?.source ?? ''),
    /** The token of the newest mail's link. */
    token: () => /\/(?:reset|verify-email)#([\w-]{43})$/m.exec(textOf(smtp.mails.at(-1)?.source ?? ''))?.[1] ?? '',
  }
}

/** The body without the line breaks that mails add. */
const textOf = (source: string) => source.slice(source.indexOf('\n\n')).replaceAll('=\n', '').trim()
