import { invalid } from '../../shared/http-error.ts'
import { hashPassword } from './password.ts'
import { type Person, whyNotPassword } from './password-rules.ts'

/** The hash of a password that this person may have. Throws a 400 that says why not. */
export async function newHash(password: string, person: Person): Promise<string> {
  const why = whyNotPassword(password, person)
  if (why) throw invalid('password', why)
  return hashPassword(password)
}
