import * as z from 'zod'
import { canonicalEmail } from '../../../shared/schemas/email.ts'
import { restoreLinks, textOf, truncate } from '../message.ts'
import { channelType } from './channel-type.ts'

export const email = channelType({
  id: 'email',
  label: 'Email',
  Settings: z.object({
    to: z
      .string({ error: 'Enter an email address.' })
      .trim()
      .max(254, 'Use at most 254 characters.')
      .refine((text) => canonicalEmail(text) !== undefined, 'Enter an email address.')
      .meta({ title: 'Address', description: "We'll send a link to confirm it.", format: 'email' }),
  }),
  isOffered: ({ smtpUrl }) => smtpUrl !== undefined,
  mail: ({ to }, message) => ({
    to,
    // Mail programs make no links in subjects, and users' filters match names in them.
    subject: truncate(`[ToolBox] ${restoreLinks(message.title)}`, 200),
    text: `${textOf(message)}\n`,
    isNotice: true,
  }),
})
