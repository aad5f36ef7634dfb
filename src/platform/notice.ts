import { cleanText } from '../shared/schemas/names.ts'
import type { Instant } from '../shared/time.ts'
import type { Queries } from './db/open.ts'
import type { LiveEvent } from './live/events.ts'

/** An entry as messages speak of it; `url` is what it calls, or its own page if that is a secret. */
export type NamedEntry = { id: string; tool: string; name: string | null; about: string; url: string }

/** What users are notified of, in their inbox and by their channels. */
export type Notice =
  | {
      type: 'failing' | 'recovered' | 'blocked'
      ownerId: string
      entry: NamedEntry
      /** When it began to fail. */
      since: Instant
      cause: string
    }
  /** The certificate of an entry's host ends soon; `cause` says when. */
  | { type: 'certificate'; ownerId: string; entry: NamedEntry; cause: string }
  /** Somebody has to extend the app of an entry; `cause` says by when, and where. */
  | { type: 'due'; ownerId: string; entry: NamedEntry; cause: string }
  /** The app of an entry needs more than requests to stay awake; `cause` says what its owner can do. */
  | { type: 'offer'; ownerId: string; entry: NamedEntry; cause: string }
  /** About a user's account: a new device, a changed sign-in method, a channel that was switched off. With a toast where one is named. */
  | { type: 'account'; userId: string; message: string; toast?: 'info' | 'warning' }
  /** For all admins: `operator` is trouble of this server, `access` somebody who waits for them. */
  | { type: 'operator'; message: string }
  | { type: 'access'; message: string }

/** Words that somebody else chose, in a sentence of ours: marked as theirs, and on one line. */
export const quoted = (words: string): string =>
  `“${cleanText(words).replaceAll(/\s+/g, ' ').replaceAll(/[“”]/g, '"')}”`

/** Stores notices in the transaction that causes them, and returns the live events to publish once that is committed. */
export type Notify = (tx: Queries, notices: readonly Notice[]) => Promise<readonly LiveEvent[]>
