import * as z from 'zod'
import type { Config } from '../../../platform/config/config.ts'
import type { Milliseconds } from '../../../shared/time.ts'
import type { Webhook } from '../../../shared/urls/discord-webhook.ts'
import { webUrlMistake } from '../../../shared/urls/web-url.ts'
import type { NoticesConfig } from '../../config.ts'
import type { Message } from '../message.ts'

export type SendingConfig = Pick<Config, 'baseUrl'> & NoticesConfig
export type Call = { url: string; headers: Record<string, string>; body: string } | { webhook: Webhook; body: object }
/** `isNotice` is set if the recipient subscribed to such mails, and so can unsubscribe. */
export type Mail = { to: string; subject: string; text: string; isNotice?: true }
/** `at` is the time of this attempt. */
export type Sending = { config: SendingConfig; at: number }

/** `note` describes the outcome for the user. */
export type Outcome =
  | { kind: 'accepted' }
  /** The service rejects the message until something is changed. */
  | { kind: 'refused'; note: string }
  /** A retry may succeed. `wait` is the minimum delay, set if the message may have been delivered already. */
  | { kind: 'failed'; note: string; wait?: Milliseconds }
  /** The service is limiting requests, and accepts the message after `wait`. */
  | { kind: 'limited'; note: string; wait: Milliseconds }
  /** A local problem, or too many requests to the address. */
  | { kind: 'again'; wait: Milliseconds }

type Settings = Record<string, unknown>
type Definition<Schema extends z.ZodObject> = {
  id: string
  label: string
  /** Each field has a title and a description; `writeOnly` marks secrets. */
  Settings: Schema
  /** Whether the operator has configured this type. If absent, it is always offered. */
  isOffered?(config: SendingConfig): boolean
  complete?(settings: z.infer<Schema>): z.infer<Schema>
  /** The operator, not the settings, determines the service's address. */
  isOperators?: boolean
  mask?(secret: string): string
  /** The POST that sends a message; types without it have `mail`. */
  request?(settings: z.infer<Schema>, message: Message, sending: Sending): Call
  mail?(settings: z.infer<Schema>, message: Message): Mail
  /** Settings that the service has changed, according to its response. */
  moved?(answer: unknown): Partial<z.infer<Schema>> | undefined
}

export type ChannelType = ReturnType<typeof channelType>

export function channelType<Schema extends z.ZodObject>(type: Definition<Schema>) {
  const { id, label, Settings, complete = (settings) => settings, request, mail } = type
  return {
    id,
    label,
    Settings,
    secrets: Object.entries(Settings.shape).flatMap(([name, field]) =>
      z.globalRegistry.get(field)?.writeOnly === true ? [name] : [],
    ),
    /** Whether `url` is checked like all URLs that users enter. */
    checksUrl: 'url' in Settings.shape && !type.isOperators,
    /** A mail address has to be confirmed first. */
    isMail: mail !== undefined,
    isOffered: type.isOffered ?? ((_config: SendingConfig) => true),
    complete: (settings: Settings): Settings => complete(Settings.parse(settings)),
    mask: type.mask ?? maskOf,
    moved: (answer: unknown): Settings | undefined => type.moved?.(answer),
    send(settings: Settings, message: Message, sending: Sending): { call: Call } | { mail: Mail } {
      const parsed = Settings.parse(settings)
      if (request) return { call: request(parsed, message, sending) }
      if (mail) return { mail: mail(parsed, message) }
      throw new Error(`Nothing can be sent by ${id}.`)
    },
  }
}

/** Shows the end of a secret, so that its user can recognize it, but nothing of a short one. */
export const maskOf = (secret: string): string => `••••${secret.length < 12 ? '' : secret.slice(-4)}`
export const maskPath = (url: string): string => {
  const { origin } = new URL(url)
  return `${origin}/${maskOf(url.slice(origin.length + 1))}`
}

/** The schema of a URL whose host is checked when the URL is saved, and again at each request. */
export const webUrl = (empty: string) =>
  z
    .string({ error: empty })
    .trim()
    .superRefine((text, context) => {
      const mistake = webUrlMistake(text)
      if (mistake) context.addIssue(mistake)
    })

export const json = { 'content-type': 'application/json' }
