import { createServer, type Server, Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  expiredCertificate,
  goodCertificate,
  leafKey,
  selfSignedCertificate,
} from '../../../../test/support/fakes/certificates.ts'
import { fakeSmtp } from '../../../../test/support/fakes/fake-smtp.ts'
import { freePort } from '../../../../test/support/free-port.ts'
import { minutes } from '../../../shared/time.ts'
import { sendMail } from './mail.ts'

const mail = { to: 'ada@home.example', subject: 'Hello', text: 'Hello\n' }
const sendTo = (smtpUrl: string, baseUrl = 'https://tools.example.com') =>
  sendMail({ smtpUrl, mailFrom: undefined, baseUrl, telegramUrl: '' }, mail, 'mail_1')

async function portOf(server: Server): Promise<number> {
  onTestFinished(() => void server.close())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}
const failed = (note: string) => ({ kind: 'failed', note: `mail server: ${note}` })

test('gives a mail server five minutes to greet, and ten to accept a mail', async () => {
  const silent = vi.spyOn(Socket.prototype, 'setTimeout')
  const smtp = await fakeSmtp()
  expect(await sendTo(smtp.env.SMTP_URL)).toEqual({ kind: 'accepted' })
  expect(silent.mock.calls.map(([span]) => span)).toContain(minutes(10))
  await smtp.close()
})

test.each([
  ['https://tools.example.com/x', 'tools.example.com'],
  ['http://192.0.2.1:3000', '[192.0.2.1]'],
  ['http://[2001:db8::1]', '[IPv6:2001:db8::1]'],
])('greets the mail server with the host of %s', async (baseUrl, name) => {
  const smtp = await fakeSmtp()
  await sendTo(smtp.env.SMTP_URL, baseUrl)
  expect(smtp.mails.map(({ helo }) => helo)).toEqual([name])
  await smtp.close()
})

test.each([
  [goodCertificate, 'unknown certificate authority'],
  [selfSignedCertificate, 'self-signed certificate'],
])('describes an untrusted certificate', async (cert, words) => {
  const port = await portOf(createTlsServer({ key: leafKey, cert }))
  expect(await sendTo(`smtps://127.0.0.1:${port}`)).toEqual(failed(`tls: ${words}`))
})

test('describes a certificate that is refused after STARTTLS', async () => {
  const plain = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write('220 mail.example.com\r\n')
    socket.once('data', () => {
      socket.write('250-mail.example.com\r\n250 STARTTLS\r\n')
      socket.once('data', () => {
        socket.write('220 Go ahead\r\n')
        tls.emit('connection', socket)
      })
    })
  })
  const tls = createTlsServer({ key: leafKey, cert: expiredCertificate })
  expect(await sendTo(`smtp://127.0.0.1:${await portOf(plain)}`)).toEqual(failed('tls: certificate expired'))
})

test('describes why a mail server cannot be used', async () => {
  expect(await sendTo(`smtp://127.0.0.1:${await freePort()}`)).toEqual(failed('connect: refused'))
  const speaksTls = createTlsServer({ key: leafKey, cert: goodCertificate, handshakeTimeout: 20 })
  speaksTls.on('tlsClientError', (_error, socket) => socket.destroy())
  expect(await sendTo(`smtp://127.0.0.1:${await portOf(speaksTls)}`)).toEqual(
    failed('no greeting; if it speaks TLS at once, use smtps://'),
  )
  const speaksFirst = createServer((socket) => void socket.on('error', () => undefined).write('220 mail\r\n'))
  expect(await sendTo(`smtps://127.0.0.1:${await portOf(speaksFirst)}`)).toEqual(
    failed('tls: it begins without TLS: use smtp://'),
  )
  const breaksOff = createServer((socket) => void socket.on('error', () => undefined).end('220 mail\r\n'))
  expect(await sendTo(`smtp://127.0.0.1:${await portOf(breaksOff)}`)).toEqual(failed('it closed the connection'))
})
