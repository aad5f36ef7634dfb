import { redact } from '../../../platform/crypto/redact.ts'
import { seconds } from '../../../shared/time.ts'
import { cut } from '../message.ts'
import type { Mail, Outcome, SendingConfig } from '../types/channel-type.ts'

const patience = seconds(10)

/** Hands a mail to the operator's mail server; `id` is the same at each attempt. */
export async function sendMail(config: SendingConfig, mail: Mail, id: string): Promise<Outcome> {
  if (config.smtpUrl === undefined) return { kind: 'refused', note: "this server's operator has turned off email" }
  const { createTransport } = await import('nodemailer')
  const { hostname } = new URL(config.baseUrl)
  const transport = createTransport({
    url: config.smtpUrl,
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: patience,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    await transport.sendMail({
      ...mail,
      from: config.mailFrom ?? `ToolBox <toolbox@${hostname}>`,
      messageId: `<${id}@${hostname}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    return { kind: 'accepted' }
  } catch (error) {
    return outcomeOf(error)
  } finally {
    transport.close()
  }
}

/** A mail server's codes from 500 on are final; without a code, it couldn't be reached. */
function outcomeOf(error: unknown): Outcome {
  const { responseCode, response, code } = Object(error)
  if (typeof responseCode !== 'number') {
    const words = /^[A-Z]{2,20}$/.test(String(code)) ? String(code) : 'no answer'
    return { kind: 'failed', note: `mail server: ${words}` }
  }
  const note = `the mail server answered ${cut(redact(String(response ?? responseCode)).replaceAll(/\p{C}+/gu, ' '), 200)}`
  // Its own trouble with our password is nothing that the address is to blame for.
  return { kind: responseCode >= 500 && code !== 'EAUTH' ? 'refused' : 'failed', note }
}
