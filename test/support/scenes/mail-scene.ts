import { beforeEach } from 'vitest'
import { hours } from '../../../src/shared/time.ts'
import type { Dialect } from '../database/databases.ts'
import { fakeSmtp } from '../fakes/fake-smtp.ts'
import { closeAfterwards, toolbox } from '../toolbox.ts'

/** The server with a mail server, shared by the tests of a file. Each test starts two hours later and without mails. */
export async function mailScene(dialect: Dialect, env: Record<string, string> = {}) {
  const smtp = closeAfterwards(await fakeSmtp())
  const box = closeAfterwards(await toolbox(dialect, { ...smtp.env, ...env }))
  beforeEach(async () => {
    await box.db.q.deleteFrom('job').execute()
    await box.db.q.deleteFrom('mail').execute()
    box.pass(hours(2))
    smtp.mails.length = 0
    smtp.setRecipientReply('250 OK')
  })
  return {
    box,
    smtp,
    async wait(ms = 0) {
      box.pass(ms)
      await box.work.runDue()
    },
    sent: () => smtp.mails.map(({ to, source }) => `${to.join(', ')}: ${/^Subject: (.*)$/m.exec(source)?.[1]}`),
    text: () => textOf(smtp.mails.at(-1)?.source ?? ''),
    token: () => /\/(?:reset|verify-email)#([\w-]{43})$/m.exec(textOf(smtp.mails.at(-1)?.source ?? ''))?.[1] ?? '',
  }
}

/** The body without quoted-printable line breaks. */
const textOf = (source: string) => source.slice(source.indexOf('\n\n')).replaceAll('=\n', '').trim()
