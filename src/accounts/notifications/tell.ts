import type { Tell } from '../../platform/kit.ts'
import type { Instant } from '../../shared/time.ts'
import { tellUser } from './store.ts'

/** Lets slices that know nothing of notifications tell a user something. */
export const telling =
  (now: () => Instant): Tell =>
  (on, userId, said) =>
    tellUser(on, userId, said, now())
