import { readFileSync } from 'node:fs'
import { lengthOf, passwordLength } from '../users/contract.ts'

/**
 * The 3,000 most common passwords of at least twelve characters, most common first and in lower case, by the ten million
 * leaked ones of SecLists (MIT); behind them some that lists of that age do not have.
 */
const commonPasswords: ReadonlySet<string> = new Set(
  readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n'),
)

/** Words that a few digits and signs do not make into a password. */
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

/** Whose password it is to be: none of these may be it. */
export type Person = { name?: string | null | undefined; email: string; username: string | null }

/** Why this may not be this person's password, as a sentence; undefined when it may. */
export function whyNotPassword(password: string, person: Person): string | undefined {
  const length = lengthOf(password)
  if (length < passwordLength.min) return `Use at least ${passwordLength.min} characters.`
  if (length > passwordLength.max) return `Use at most ${passwordLength.max} characters.`
  const plain = plainly(password)
  const [local] = person.email.split('@')
  if ([person.email, local].some((own) => own && plainly(own) === plain))
    return "Don't use your email as your password."
  if ([person.name, person.username].some((own) => own && plainly(own) === plain))
    return "Don't use your name as your password."
  if (isCommon(plain)) return 'This password is too common. Choose a less common one.'
  return undefined
}

const plainly = (text: string) => text.normalize('NFKC').trim().toLowerCase()

function isCommon(plain: string): boolean {
  const joined = plain.replaceAll(/\s+/g, '')
  if (commonPasswords.has(plain) || commonPasswords.has(joined)) return true
  if (repeats(joined) || climbs(joined)) return true
  const word = unmasked(joined).replaceAll(/[^\p{L}]/gu, '')
  return commonWords.has(word) || commonPasswords.has(word) || commonWords.has(joined.replaceAll(/[^\p{L}]/gu, ''))
}

/** A short piece written over and over, whole or cut short at the end: `abcabcabcabc`, `passwordpassword`. */
function repeats(text: string): boolean {
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

/** A walk along the alphabet, the digits or the keyboard, in either direction, starting anywhere and going round. */
function climbs(text: string): boolean {
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

/** Digits that stand for letters, but not those put before or behind a word. */
function unmasked(text: string): string {
  const core = text.replace(/^[^\p{L}@$]+/u, '').replace(/[^\p{L}@$]+$/u, '')
  return [...core].map((letter) => masks[letter] ?? letter).join('')
}
