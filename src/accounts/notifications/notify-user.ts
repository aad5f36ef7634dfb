import type { NotifyUser } from '../../platform/context.ts'
import type { Instant } from '../../shared/time.ts'
import { keepForUser } from './store.ts'

/** Lets slices that know nothing of notifications tell a user something. */
export const notifyingUser =
  (now: () => Instant): NotifyUser =>
  (tx, userId, said) =>
    keepForUser(tx, userId, said, now())
