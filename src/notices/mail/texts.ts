import { quoted } from '../../platform/notice.ts'
import { once } from '../../shared/once.ts'
import type { Milliseconds } from '../../shared/time.ts'
import { minutes, seconds } from '../../shared/time.ts'
import { unlinked } from '../channels/message.ts'
import type { Mail } from '../channels/types/channel-type.ts'
import type { EmailChange } from './store.ts'

type Place = { baseUrl: string }
type Words = Omit<Mail, 'to'>

const textOf = (...paragraphs: string[]) => `${paragraphs.join('\n\n')}\n`

/** What a mail may have waited without saying so, since a link of half an hour shouldn't be one of 29 minutes. */
const underway = seconds(20)

/** Whole minutes of a link's life that are left, so that the mail promises no more. */
const leftOf = (left: Milliseconds) => {
  const whole = Math.max(1, Math.floor((left + underway) / minutes(1)))
  return whole === 1 ? '1 minute' : `${whole} minutes`
}

/** The mail to somebody who has forgotten their password. */
export const passwordMail = (
  { baseUrl }: Place,
  { token, left, username }: { token: string; left: Milliseconds; username: string },
): Words => ({
  subject: 'Reset your ToolBox password',
  text: textOf(
    `Someone, probably you, asked to reset the password of your account at ${baseUrl}.`,
    `Open this link within ${leftOf(left)} to choose a new password. It works once:`,
    `${baseUrl}/auth/reset#${token}`,
    `Your username is ${username}.`,
    "If it wasn't you, ignore this email: your password stays the same.",
  ),
})

/** The mail that proves an address. It says nothing that whoever entered the address could choose. */
export const confirmationMail = (
  { baseUrl }: Place,
  { token, left }: { token: string; left: Milliseconds },
): Words => ({
  subject: 'Confirm your email for ToolBox',
  text: textOf(
    `This address was entered as the email of an account at ${baseUrl}.`,
    `If it's your account, sign in there and open this link within ${leftOf(left)}. It works once:`,
    `${baseUrl}/user/verify-email#${token}`,
    "If it isn't, ignore this email: the address stays unconfirmed.",
  ),
})

const inWords = once(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }))

/** The mail to an address that is no longer a user's. */
export function changeMail({ baseUrl }: Place, { at, device, address, byAdmin }: EmailChange): Words {
  // A program names itself as it likes.
  const named = device === null ? [] : [unlinked(quoted(device))]
  const from = [...named, ...(address === null ? [] : [address])].join(', ')
  const who = byAdmin ? 'by an admin' : from && `from ${from}`
  return {
    subject: 'The email of your ToolBox account was changed',
    text: textOf(
      `Your account at ${baseUrl} has a different email now, so nothing more will be sent to this address.`,
      `It was changed on ${inWords().format(at)} UTC${who ? ` ${who}` : ''}.`,
      `If it wasn't you, sign in at ${baseUrl}/user, change the email back and choose a new password. If you can't sign in, ask an admin of that server.`,
    ),
  }
}
