import { invalid } from '../../shared/http-error.ts'
import { hashPassword } from './password.ts'
import { type Person, whyNotPassword } from './password-rules.ts'

/** Hashes a password. Throws a 400 that says why if this person may not use it. */
export async function newHash(password: string, person: Person): Promise<string> {
  const why = whyNotPassword(password, person)
  if (why) throw invalid('password', why)
  return hashPassword(password)
}
