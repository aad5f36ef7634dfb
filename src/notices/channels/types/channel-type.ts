import * as z from 'zod'
import type { Config } from '../../../platform/config/config.ts'
import type { Milliseconds } from '../../../shared/time.ts'
import type { Webhook } from '../../../shared/urls/discord-webhook.ts'
import { webUrlMistake } from '../../../shared/urls/web-url.ts'
import type { NoticesConfig } from '../../config.ts'
import type { Message } from '../message.ts'

export type SendingConfig = Pick<Config, 'baseUrl'> & NoticesConfig
export type Call = { url: string; headers: Record<string, string>; body: string } | { webhook: Webhook; body: object }
/** `isNotice` says that the reader chose to get such mails, and may end them. */
export type Mail = { to: string; subject: string; text: string; isNotice?: true }
/** `at` is the time of this attempt. */
export type Sending = { config: SendingConfig; at: number }

/** How a service answered; `note` says so in words. */
export type Outcome =
  | { kind: 'accepted' }
  /** It won't take this until something is changed. */
  | { kind: 'refused'; note: string }
  /** It may take it later; no sooner than after `wait` if it may have taken it already. */
  | { kind: 'failed'; note: string; wait?: Milliseconds }
  /** It says when it will take it. */
  | { kind: 'limited'; note: string; wait: Milliseconds }
  /** Trouble of our own, or no place at its address. */
  | { kind: 'again'; wait: Milliseconds }

type Settings = Record<string, unknown>
type Definition<Schema extends z.ZodObject> = {
  id: string
  label: string
  /** Each field has a title and a description; `writeOnly` marks a secret. */
  Settings: Schema
  /** Whether the operator has configured what it needs. Absent: always. */
  isOffered?(config: SendingConfig): boolean
  /** Generates what was left out. */
  complete?(settings: z.infer<Schema>): z.infer<Schema>
  /** The operator has said where it is called, whatever the settings say. */
  isOperators?: boolean
  /** What stands for a secret where it isn't shown. */
  mask?(secret: string): string
  /** The POST that sends a message, or else the mail. */
  request?(settings: z.infer<Schema>, message: Message, sending: Sending): Call
  mail?(settings: z.infer<Schema>, message: Message): Mail
  /** What the settings have become at the service itself, as its answer says. */
  moved?(answer: unknown): Partial<z.infer<Schema>> | undefined
}

export type ChannelType = ReturnType<typeof channelType>

export function channelType<Schema extends z.ZodObject>(type: Definition<Schema>) {
  const { id, label, Settings, complete = (settings) => settings, request, mail } = type
  return {
    id,
    label,
    Settings,
    /** The fields whose values are shown only once. */
    secrets: Object.entries(Settings.shape).flatMap(([name, field]) =>
      z.globalRegistry.get(field)?.writeOnly === true ? [name] : [],
    ),
    /** Whether its `url` is checked like every URL that users enter. */
    checksUrl: 'url' in Settings.shape && !type.isOperators,
    /** Whether it sends mail to an address, which has to be confirmed first. */
    isMail: mail !== undefined,
    isOffered: type.isOffered ?? ((_config: SendingConfig) => true),
    complete: (settings: Settings): Settings => complete(Settings.parse(settings)),
    mask: type.mask ?? maskOf,
    moved: (answer: unknown): Settings | undefined => type.moved?.(answer),
    send(settings: Settings, message: Message, sending: Sending): { call: Call } | { mail: Mail } {
      const given = Settings.parse(settings)
      if (request) return { call: request(given, message, sending) }
      if (mail) return { mail: mail(given, message) }
      throw new Error(`Nothing can be sent by ${id}.`)
    },
  }
}

/** A secret's end, so that its user knows it again; nothing of a short one. */
export const maskOf = (secret: string): string => `••••${secret.length < 12 ? '' : secret.slice(-4)}`
/** A web address without what makes its path a secret. */
export const maskPath = (url: string): string => {
  const { origin } = new URL(url)
  return `${origin}/${maskOf(url.slice(origin.length + 1))}`
}

/** A web address whose host is checked when it is saved and again when it is visited. */
export const webUrl = (empty: string) =>
  z
    .string({ error: empty })
    .trim()
    .superRefine((text, context) => {
      const mistake = webUrlMistake(text)
      if (mistake) context.addIssue(mistake)
    })

export const json = { 'content-type': 'application/json' }
