import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sendMail } from '../src/notices/channels/sending/mail.ts'
import type { Mail } from '../src/notices/channels/types/channel-type.ts'
import { authority, goodCertificate, leafKey } from './support/fakes/certificates.ts'
import { freePort } from './support/free-port.ts'
import { type Program, startProgram } from './support/program.ts'

const path = '/usr/sbin/exim4'
// Exim switches users, which requires root.
const isThere = existsSync(path) && process.getuid?.() === 0
const [plain, tls] = [await freePort(), await freePort()]

/** Accepts mail for home.example into one file. Greylists unauthenticated senders until a file `known` exists. */
const settings = (folder: string) => `
primary_hostname = mail.home.example
spool_directory = ${folder}
log_file_path = ${folder}/%s.log
pid_file_path = ${folder}/pid
daemon_smtp_ports = ${plain} : ${tls}
tls_on_connect_ports = ${tls}
local_interfaces = 127.0.0.1
tls_certificate = ${folder}/certificate
tls_privatekey = ${folder}/key
tls_advertise_hosts = *
auth_advertise_hosts = \${if eq{$tls_in_cipher}{}{}{*}}
message_size_limit = 20K
acl_smtp_rcpt = recipient
acl_smtp_data = accept
begin acl
recipient:
  deny    !domains = home.example
          message = relay not permitted
  deny    local_parts = nobody
          message = No such user here
  defer   !authenticated = *
          condition = \${if exists{${folder}/known}{no}{yes}}
          message = Greylisted, please try again in five minutes
  accept
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{toolbox}}{eq{$auth3}{p@ss/word}}}}
begin routers
all:
  driver = accept
  transport = file
begin transports
file:
  driver = appendfile
  file = ${folder}/mails
  user = Debian-exim
begin retry
* * F,1h,1m
`

/** Debian's Exim user, which writes the mail file. */
const [, uid = '0', gid = '0'] = isThere
  ? (/^Debian-exim:[^:]*:(\d+):(\d+)/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [])
  : []
let exim: Program | undefined
const usual = getCACertificates('default')
beforeAll(async () => {
  if (!isThere) return
  exim = await startProgram(path, tls, (folder) => {
    for (const [name, text] of Object.entries({ certificate: goodCertificate, key: leafKey, config: settings(folder) }))
      writeFileSync(join(folder, name), text)
    for (const place of [join(folder, 'input'), folder]) {
      mkdirSync(place, { recursive: true })
      chownSync(place, Number(uid), Number(gid))
    }
    chownSync(join(folder, 'key'), Number(uid), Number(gid))
    return ['-bdf', '-q1m', '-C', join(folder, 'config')]
  })
})
afterAll(async () => {
  setDefaultCACertificates(usual)
  await exim?.stop()
})

const account = 'toolbox:p%40ss%2Fword@'
const hello: Mail = {
  to: 'ada@home.example',
  subject: 'Grüße',
  text: '.\nA line with a dot alone, and ünïcode.\n',
  isNotice: true as const,
}
const send = (smtpUrl: string, mail = hello, id = 'mail_1') =>
  sendMail({ smtpUrl, mailFrom: undefined, baseUrl: 'https://tools.example.com', telegramUrl: '' }, mail, id)
const mails = () => readFileSync(join(exim?.folder ?? '', 'mails'), 'utf8')

beforeEach(({ skip }) => {
  if (!isThere) skip('Exim is not installed, or this user is not root.')
})

test('reports a certificate from an unknown authority', async () => {
  const outcome = { kind: 'failed', note: 'mail server: tls: unknown certificate authority' }
  expect(await send(`smtps://${account}127.0.0.1:${tls}`)).toEqual(outcome)
  expect(await send(`smtp://${account}127.0.0.1:${plain}`)).toEqual(outcome)
})

test('suggests smtp:// when a port does not start with TLS', async () => {
  expect(await send(`smtps://127.0.0.1:${plain}`)).toMatchObject({ note: expect.stringContaining('use smtp://') })
})

test('delivers mail unchanged over STARTTLS and over implicit TLS', async () => {
  setDefaultCACertificates([...usual, authority])
  expect(await send(`smtps://${account}127.0.0.1:${tls}`, hello, 'mail_2')).toEqual({ kind: 'accepted' })
  await expect.poll(mails).toContain('Message-ID: <mail_2@tools.example.com>')
  expect(await send(`smtp://${account}127.0.0.1:${plain}`, hello, 'mail_3')).toEqual({ kind: 'accepted' })
  await expect.poll(mails).toContain('Message-ID: <mail_3@tools.example.com>')
  const text = mails()
  for (const line of [
    'From: ToolBox <toolbox@tools.example.com>',
    'To: ada@home.example',
    'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
    'List-ID: ToolBox notices <notices.tools.example.com>',
    'List-Unsubscribe: <https://tools.example.com/user>',
    'Auto-Submitted: auto-generated',
  ])
    expect(text).toContain(`\n${line}\n`)
  expect(text).toMatch(/\n\n\.\nA line with a dot alone/)
  expect(text).toMatch(/\(helo=tools\.example\.com\)\n.*with esmtpsa/)
})

test('delivers a greylisted mail once on a later attempt', async () => {
  const later = await send(`smtp://127.0.0.1:${plain}`, hello, 'mail_4')
  expect(later).toEqual({
    kind: 'failed',
    note: 'the mail server answered 451 Greylisted, please try again in five minutes',
  })
  writeFileSync(join(exim?.folder ?? '', 'known'), '')
  expect(await send(`smtp://127.0.0.1:${plain}`, hello, 'mail_4')).toEqual({ kind: 'accepted' })
  await expect.poll(() => mails().split('<mail_4@').length - 1).toBe(1)
  rmSync(join(exim?.folder ?? '', 'known'))
})

test.each([
  ['nobody@home.example', 'refused', '550 No such user here'],
  ['ada@elsewhere.example', 'refused', '550 relay not permitted'],
])('reports why the mail server refuses %s', async (to, kind, words) => {
  expect(await send(`smtps://${account}127.0.0.1:${tls}`, { ...hello, to })).toEqual({
    kind,
    note: `the mail server answered ${words}`,
  })
})

test('reports a wrong password as a failure, not as a refused address', async () => {
  const { kind, note } = (await send(`smtps://toolbox:wrong@127.0.0.1:${tls}`)) as { kind: string; note: string }
  expect({ kind, note }).toEqual({ kind: 'failed', note: expect.stringMatching(/^the mail server answered 535 /) })
  expect(note).not.toContain('wrong')
})

test('reports why the mail server refuses a mail that is too large', async () => {
  const text = `${'long '.repeat(10)}\n`.repeat(1_000)
  expect(await send(`smtps://${account}127.0.0.1:${tls}`, { ...hello, text })).toMatchObject({
    kind: 'refused',
    note: expect.stringMatching(/^the mail server answered 552 /),
  })
})
