import { randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import type { SettingsOf } from '../../entries/contract.ts'
import type { SettingsSecrets } from '../../entries/tool-server.ts'
import type { Context } from '../../platform/context.ts'
import { invalid } from '../../shared/http-error.ts'
import { hours, type Instant } from '../../shared/time.ts'
import { maskOf, type Webhook, webhookOf, webhookUrl } from '../../shared/urls/discord-webhook.ts'
import { herokudiscordwebhook } from './contract.ts'

export type Settings = SettingsOf<typeof herokudiscordwebhook>

/** How long the previous secret stays valid after a change. */
const overlap = hours(24)

const { filter, showActor, mentionRole, threadId, card } = herokudiscordwebhook.Settings.shape
/** Settings as stored, with encrypted tokens and secrets. */
const Stored = z.object({
  hook: z.object({ id: z.string(), token: z.string() }),
  secret: z.nullable(z.string()),
  previous: z.nullable(z.object({ secret: z.string(), until: z.int() })),
  filter,
  showActor,
  mentionRole,
  threadId,
  // Entries stored before this setting existed don't have it.
  card: z._default(card, false),
})

export const secretMask = '•'.repeat(16)

type Secrets = Pick<Context, 'secrets'>
const column = 'entry.settings'

/** Letters and digits only, so that it needs no quotes in a shell. */
export const newSecret = (): string => randomBytes(32).toString('hex')

export const secrets: SettingsSecrets<Settings> = {
  complete: (settings, current) => ({
    ...settings,
    ...destinationOf(settings, current),
    secret: settings.secret === undefined ? newSecret() : secretOf(settings.secret, current),
  }),

  seal({ discordHook, secret = null, ...options }, stored, { secrets, now }) {
    const before = stored === undefined ? undefined : Stored.parse(stored)
    const { id, token } = hookOf(discordHook)
    return {
      ...options,
      hook: { id, token: secrets.seal(token, column) },
      ...rotateSecret(secret, before, { secrets, now }),
    }
  },

  open(stored, context) {
    const { hook, secret, previous: _, ...options } = Stored.parse(stored)
    return {
      ...options,
      discordHook: webhookUrl({ id: hook.id, token: context.secrets.open(hook.token) }),
      secret: secret === null ? null : context.secrets.open(secret),
    }
  },

  mask: ({ discordHook }) => ({ discordHook: maskOf(hookOf(discordHook)), secret: undefined }),
}

/** Replaces the mask with the saved secret. Throws a 400 if there is none. */
function secretOf(secret: string | null, current: Settings | undefined): string | null {
  if (secret !== secretMask) return secret
  if (current?.secret) return current.secret
  throw invalid('secret', 'This secret is masked. Enter all of it, or null to turn off the signature check.')
}

export function hookOf(discordHook: string): Webhook {
  const hook = webhookOf(discordHook)
  if (!hook) throw new Error('A saved webhook is not valid.')
  return hook
}

/** Decrypted settings for arriving events. Without secrets, signatures aren't checked. `until`: a secret's expiry. */
export type DecryptedSettings = Pick<Settings, 'filter' | 'showActor' | 'card'> & {
  secrets: readonly { secret: string; until: Instant }[]
}

export function openForArrivals(stored: unknown, { secrets: { open } }: Secrets): DecryptedSettings {
  const { filter, showActor, card, secret, previous } = Stored.parse(stored)
  if (secret === null) return { filter, showActor, card, secrets: [] }
  const old = previous ? [{ secret: open(previous.secret), until: previous.until }] : []
  return { filter, showActor, card, secrets: [{ secret: open(secret), until: Number.POSITIVE_INFINITY }, ...old] }
}

export const previousUntil = (stored: unknown): Instant | null => Stored.parse(stored).previous?.until ?? null

function destinationOf({ discordHook, threadId }: Settings, current: Settings | undefined) {
  const hook = webhookOf(discordHook)
  if (hook) return { discordHook: webhookUrl(hook), threadId: hook.threadId ?? threadId }
  if (current && discordHook === maskOf(hookOf(current.discordHook)))
    return { discordHook: current.discordHook, threadId }
  throw invalid('discordHook', 'This URL is shortened. Paste the full webhook URL of the Discord channel.')
}

function rotateSecret(
  secret: string | null,
  before: z.infer<typeof Stored> | undefined,
  { secrets, now }: Secrets & Pick<Context, 'now'>,
): Pick<z.infer<typeof Stored>, 'secret' | 'previous'> {
  if (secret === null) return { secret: null, previous: null }
  if (!before || before.secret === null) return { secret: secrets.seal(secret, column), previous: null }
  if (secrets.open(before.secret) === secret) return { secret: before.secret, previous: before.previous }
  return { secret: secrets.seal(secret, column), previous: { secret: before.secret, until: now() + overlap } }
}
