import { isIP, isIPv6 } from 'node:net'
import { redact } from '../../../platform/crypto/redact.ts'
import { connectFailure, dnsFailure, tlsFailure } from '../../../platform/net/failure.ts'
import { minutes } from '../../../shared/time.ts'
import { truncate } from '../message.ts'
import type { Mail, Outcome, SendingConfig } from '../types/channel-type.ts'

/** Timeouts by RFC 5321, section 4.5.3.2: a mail server may filter a mail before it answers. */
const smtpTimeouts = { greeting: minutes(5), answer: minutes(10) }
/** The wait before a mail is resent that the server may have delivered. */
const possiblySentWait = minutes(15)

/** `id` is the same at each attempt. */
export async function sendMail(config: SendingConfig, mail: Mail, id: string): Promise<Outcome> {
  const { smtpUrl, baseUrl } = config
  if (smtpUrl === undefined) return { kind: 'refused', note: "this server's operator has turned off email" }
  const { createTransport } = await import('nodemailer')
  const { hostname } = new URL(baseUrl)
  // The library's log shows its progress: `server` is a line from the server, `message` the end of the mail.
  const reached = new Set<unknown>()
  const log = ({ tnx }: { tnx?: unknown }) => void reached.add(tnx)
  const transport = createTransport({
    url: smtpUrl,
    name: nameInGreeting(hostname),
    connectionTimeout: smtpTimeouts.greeting,
    greetingTimeout: smtpTimeouts.greeting,
    socketTimeout: smtpTimeouts.answer,
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: { debug: log, info: log, warn: log, error: log },
    transactionLog: true,
  })
  try {
    await transport.sendMail({
      to: mail.to,
      subject: mail.subject,
      text: mail.text,
      from: config.mailFrom ?? `ToolBox <toolbox@${hostname}>`,
      messageId: `<${id}@${hostname}>`,
      headers: {
        'Auto-Submitted': 'auto-generated',
        ...(mail.isNotice && {
          'List-Id': `ToolBox notices <notices.${hostname}>`,
          'List-Unsubscribe': `<${baseUrl}/user>`,
        }),
      },
    })
    return { kind: 'accepted' }
  } catch (error) {
    const { responseCode, response, command } = Object(error)
    if (typeof responseCode === 'number') {
      const note = `the mail server answered ${toReadable(response ?? responseCode)}`
      // Codes from 500 are final only for the address or the mail, not for this server's login or sender.
      const isFinal = responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')
      return { kind: isFinal ? 'refused' : 'failed', note }
    }
    if (reached.has('message'))
      return {
        kind: 'failed',
        note: 'mail server: perhaps sent, since it got the whole mail and did not answer',
        wait: possiblySentWait,
      }
    const why = describeFailure(error, { hasSpoken: reached.has('server'), isPlain: smtpUrl.startsWith('smtp:') })
    return { kind: 'failed', note: `mail server: ${why}` }
  } finally {
    transport.close()
  }
}

/** The host of BASE_URL in the form for EHLO (RFC 5321, section 4.1.3). */
function nameInGreeting(hostname: string): string {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIPv6(address)) return `[IPv6:${address}]`
  return isIP(address) ? `[${address}]` : hostname
}

const toReadable = (text: unknown) => truncate(redact(String(text)).replaceAll(/\p{C}+/gu, ' '), 200)

/** Describes why a mail couldn't be sent when the server gave no error code. */
function describeFailure(error: unknown, { hasSpoken, isPlain }: { hasSpoken: boolean; isPlain: boolean }): string {
  const { code, originalCode, timeoutType, message } = Object(error)
  const cause = Object.assign(new Error(), { code: originalCode })
  if (code === 'EDNS') return dnsFailure(cause).note
  if (/^ERR_SSL_(WRONG_VERSION|PACKET_LENGTH)/.test(originalCode)) return 'tls: it begins without TLS: use smtp://'
  if (/^E(?!RR_|PROTO)/.test(originalCode)) return connectFailure(cause).note
  if (originalCode !== undefined) return tlsFailure(cause).note
  if (timeoutType === 'CONNECT_TIMEOUT') return 'connect: no answer'
  if (timeoutType === undefined && code !== 'ECONNECTION' && code !== 'ETLS') return toReadable(message)
  if (!hasSpoken) return `no greeting${isPlain ? '; if it speaks TLS at once, use smtps://' : ''}`
  return timeoutType === undefined ? 'it closed the connection' : 'no answer'
}
