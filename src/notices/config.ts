import * as z from 'zod'
import { text, webAddress } from '../platform/config/values.ts'

const smtpUrl = z.string().refine((value) => {
  const url = URL.parse(value)
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ''
}, 'must be a URL such as smtps://user:password@mail.example.com')

const mailbox = text.refine(
  (value) => /^(?:[^<>]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/.test(value),
  'must be an email address such as ToolBox <toolbox@example.com>',
)

export const noticesVariables = z
  .object({
    SMTP_URL: smtpUrl.optional(),
    MAIL_FROM: mailbox.optional(),
    TELEGRAM_URL: webAddress.prefault('https://api.telegram.org'),
  })
  .transform((values) => ({
    /** Undefined if this server sends no mail. */
    smtpUrl: values.SMTP_URL,
    /** Undefined for an address at this server's own host. */
    mailFrom: values.MAIL_FROM,
    telegramUrl: values.TELEGRAM_URL,
  }))
export type NoticesConfig = Readonly<z.infer<typeof noticesVariables>>
