import { cleanText } from '../shared/schemas/names.ts'
import type { Instant } from '../shared/time.ts'
import type { Queries } from './db/open.ts'
import type { LiveEvent } from './live/events.ts'

/** An entry as messages refer to it; `url` is the address it calls, or its own page if that address is a secret. */
export type NamedEntry = { id: string; tool: string; name: string | null; about: string; url: string }

/** An event that users are notified of in their inbox and through their channels. */
export type Notice =
  | {
      type: 'failing' | 'recovered' | 'blocked'
      ownerId: string
      entry: NamedEntry
      /** When the entry began to fail. */
      since: Instant
      cause: string
    }
  /** The certificate of an entry's host expires soon; `cause` states when. */
  | { type: 'certificate'; ownerId: string; entry: NamedEntry; cause: string }
  /** The app of an entry must be extended; `cause` states by when and where. */
  | { type: 'due'; ownerId: string; entry: NamedEntry; cause: string }
  /** Requests alone don't keep the app of an entry awake; `cause` states what its owner can do. */
  | { type: 'offer'; ownerId: string; entry: NamedEntry; cause: string }
  /** About an account: a new device, a changed sign-in method, a disabled channel. With `toast`, also shown as one. */
  | { type: 'account'; userId: string; message: string; toast?: 'info' | 'warning' }
  /** For all admins: `operator` is about a problem of this server, `access` about users who want or received access. */
  | { type: 'operator'; message: string }
  | { type: 'access'; message: string }

/** Marks text from another source as a quotation on one line, for use in our own sentences. */
export const quote = (words: string): string => `“${cleanText(words).replaceAll(/\s+/g, ' ').replaceAll(/[“”]/g, '"')}”`

/** Stores notices in the transaction that causes them. Returns the live events to publish after its commit. */
export type Notify = (tx: Queries, notices: readonly Notice[]) => Promise<readonly LiveEvent[]>
