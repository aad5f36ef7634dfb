import { randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import type { SettingsOf } from '../../../entries/contract.ts'
import type { SettingsSecrets } from '../../../entries/tool-server.ts'
import type { Context } from '../../../platform/context.ts'
import { invalid } from '../../../shared/http-error.ts'
import { hours, type Instant } from '../../../shared/time.ts'
import { herokudiscordwebhook, maskOf, type Webhook, webhookOf, webhookUrl } from '../contract.ts'

export type Settings = SettingsOf<typeof herokudiscordwebhook>

/** How long the secret before counts beside a new one. */
const overlap = hours(24)

const { filter, showActor, mentionRole, threadId } = herokudiscordwebhook.Settings.shape
/** What lies in the database: the tokens and secrets in it are sealed. */
const Stored = z.object({
  hook: z.object({ id: z.string(), token: z.string() }),
  secret: z.nullable(z.string()),
  previous: z.nullable(z.object({ secret: z.string(), until: z.int() })),
  filter,
  showActor,
  mentionRole,
  threadId,
})

type Secrets = Pick<Context, 'secrets'>

/** Letters and digits only, so that any shell and any command takes it as it is. */
export const newSecret = (): string => randomBytes(32).toString('hex')

export const secrets: SettingsSecrets<Settings> = {
  complete: (wanted, present) => ({
    ...wanted,
    ...destinationOf(wanted, present),
    secret: wanted.secret === undefined ? newSecret() : wanted.secret,
  }),

  seal({ discordHook, secret = null, ...options }, stored, { secrets, now }) {
    const before = stored === undefined ? undefined : Stored.parse(stored)
    const { id, token } = hookOf(discordHook)
    return { ...options, hook: { id, token: secrets.seal(token) }, ...rotated(secret, before, { secrets, now }) }
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

/** The webhook of settings that are kept. */
export function hookOf(discordHook: string): Webhook {
  const hook = webhookOf(discordHook)
  if (!hook) throw new Error('A webhook that was kept is none.')
  return hook
}

/** What arriving events are held to: none of the secrets means that signatures are not checked; `until` ends an older one. */
export type Opened = Pick<Settings, 'filter' | 'showActor'> & {
  secrets: readonly { secret: string; until: Instant }[]
}

export function openForArrivals(stored: unknown, { secrets: { open } }: Secrets): Opened {
  const { filter, showActor, secret, previous } = Stored.parse(stored)
  if (secret === null) return { filter, showActor, secrets: [] }
  const old = previous ? [{ secret: open(previous.secret), until: previous.until }] : []
  return { filter, showActor, secrets: [{ secret: open(secret), until: Number.POSITIVE_INFINITY }, ...old] }
}

/** Until when the secret before the present one counts. */
export const previousUntil = (stored: unknown): Instant | null => Stored.parse(stored).previous?.until ?? null

function destinationOf({ discordHook, threadId }: Settings, present: Settings | undefined) {
  const given = webhookOf(discordHook)
  if (given) return { discordHook: webhookUrl(given), threadId: given.threadId ?? threadId }
  if (present && discordHook === maskOf(hookOf(present.discordHook)))
    return { discordHook: present.discordHook, threadId }
  throw invalid('discordHook', 'This URL is shortened. Paste the full webhook URL of the Discord channel.')
}

function rotated(
  secret: string | null,
  before: z.infer<typeof Stored> | undefined,
  { secrets, now }: Secrets & Pick<Context, 'now'>,
): Pick<z.infer<typeof Stored>, 'secret' | 'previous'> {
  if (secret === null) return { secret: null, previous: null }
  if (!before || before.secret === null) return { secret: secrets.seal(secret), previous: null }
  if (secrets.open(before.secret) === secret) return { secret: before.secret, previous: before.previous }
  return { secret: secrets.seal(secret), previous: { secret: before.secret, until: now() + overlap } }
}
