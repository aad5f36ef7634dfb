import { readFileSync } from 'node:fs'
import { lengthOf, passwordLength } from '../../people/contract.ts'
import { invalid } from '../../shared/http-error.ts'
import { hashPassword } from './password.ts'

/** The 3,000 most common leaked passwords of 12 or more characters in SecLists (MIT), in lower case, and newer ones. */
const commonPasswords: ReadonlySet<string> = new Set(
  readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n'),
)

/** Words that stay bad passwords with a few digits and symbols added. */
const commonWords: ReadonlySet<string> = new Set(
  `
    abc abcd abcdef access account admin administrator adminadmin asdf asdfgh asdfghjkl azerty azertyuiop baseball
    basketball battery changeme changepassword correcthorsebatterystaple default dragon football freedom guest hello
    helloworld iloveyou internet keepout letmein login loveme master monkey mypassword newpassword nopassword opensesame
    pass passphrase password passwort postgres princess qazwsx qazwsxedc qwer qwerasdf qwert qwerty qwertyuiop qwertz
    qwertzuiop root secret secretpassword security server shadow sunshine superman supersecret superuser sysadmin
    temppassword test testing testpassword toolbox toor trustno user username welcome welcomehome zxcvbn zxcvbnm
`
    .trim()
    .split(/\s+/),
)

/** The user of a new password, which must not equal any of these values. */
export type Person = { name?: string | null | undefined; email: string; username: string | null }

/** The message on why this person may not use this password; undefined if they may. */
export function passwordProblem(password: string, person: Person): string | undefined {
  const length = lengthOf(password)
  if (length < passwordLength.min) return `Use at least ${passwordLength.min} characters.`
  if (length > passwordLength.max) return `Use at most ${passwordLength.max} characters.`
  const plain = normalizePassword(password)
  const [local] = person.email.split('@')
  if ([person.email, local].some((own) => own && normalizePassword(own) === plain))
    return "Don't use your email as your password."
  if ([person.name, person.username].some((own) => own && normalizePassword(own) === plain))
    return "Don't use your name as your password."
  if (isCommon(plain)) return 'This password is too common. Choose a less common one.'
  return undefined
}

const normalizePassword = (text: string) => text.normalize('NFKC').trim().toLowerCase()

function isCommon(plain: string): boolean {
  const joined = plain.replaceAll(/\s+/g, '')
  if (commonPasswords.has(plain) || commonPasswords.has(joined)) return true
  if (isRepetition(joined) || isSequence(joined)) return true
  const word = restoreLetters(joined).replaceAll(/[^\p{L}]/gu, '')
  return commonWords.has(word) || commonPasswords.has(word) || commonWords.has(joined.replaceAll(/[^\p{L}]/gu, ''))
}

/** Whether the text repeats a short piece, possibly cut off at the end: `abcabcabcabc`, `passwordpassword`. */
function isRepetition(text: string): boolean {
  for (let size = 1; size <= 8 && size * 2 <= text.length; size++)
    if (
      text
        .slice(0, size)
        .repeat(Math.ceil(text.length / size))
        .startsWith(text)
    )
      return true
  return false
}

const rows = ['abcdefghijklmnopqrstuvwxyz', '01234567890', '1234567890', 'qwertyuiopasdfghjklzxcvbnm']

/** Whether the text follows the alphabet, the digits or the keyboard, in either direction and from any start. */
function isSequence(text: string): boolean {
  return rows.some((row) => {
    const round = row.repeat(Math.ceil(text.length / row.length) + 1)
    return round.includes(text) || round.includes([...text].reverse().join(''))
  })
}

const masks: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/** Replaces digits and symbols that stand for letters, except before and after the word. */
function restoreLetters(text: string): string {
  const core = text.replace(/^[^\p{L}@$]+/u, '').replace(/[^\p{L}@$]+$/u, '')
  return [...core].map((letter) => masks[letter] ?? letter).join('')
}

/** Hashes a password. Throws a 400 with the reason if this person may not use it. */
export async function hashNewPassword(password: string, person: Person): Promise<string> {
  const why = passwordProblem(password, person)
  if (why) throw invalid('password', why)
  return hashPassword(password)
}
