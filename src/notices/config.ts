import * as z from 'zod'
import { text, webAddress } from '../platform/config/values.ts'

const smtpUrl = z.string().refine((given) => {
  const url = URL.parse(given)
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ''
}, 'must be a URL such as smtps://user:password@mail.example.com')

const mailbox = text.refine(
  (given) => /^(?:[^<>]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/.test(given),
  'must be an email address such as ToolBox <toolbox@example.com>',
)

export const noticesVariables = z
  .object({
    SMTP_URL: smtpUrl.optional(),
    MAIL_FROM: mailbox.optional(),
    TELEGRAM_URL: webAddress.prefault('https://api.telegram.org'),
  })
  .transform((given) => ({
    /** Undefined if this server sends no mail. */
    smtpUrl: given.SMTP_URL,
    /** Undefined for an address at this server's own host. */
    mailFrom: given.MAIL_FROM,
    telegramUrl: given.TELEGRAM_URL,
  }))
export type NoticesConfig = Readonly<z.infer<typeof noticesVariables>>
