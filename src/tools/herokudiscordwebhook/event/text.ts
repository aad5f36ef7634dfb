import { redact } from '../../../platform/crypto/redact.ts'
import { once } from '../../../shared/async.ts'

export const hidden = '[hidden]'

const certificate = '-----BEGIN'
const settingsChanged = /^(set|unset|remove|add|update|change)\s.*\sconfig vars?\b/is

/** Dates, ids, names and Heroku's constant values. Keys with a known prefix match too, so `isHarmless` excludes them. */
const harmless = /^(?:[\d.:TZ+-]*|[\w.-]+|api:[a-z-]+|application\/vnd\.heroku\+json; version=3)$/
const prefixed = /tbx_|whsec_/

/** Whether a text contains no secret, and needs no escaping in JSON. */
export const isHarmless = (text: string): boolean => harmless.test(text) && !prefixed.test(text)

/** Removes email addresses, queries of links, certificates, config var names, tokens and passwords from a text. */
export function scrub(text: string): string {
  if (isHarmless(text)) return text
  const plain = /[\\%]/.test(text) ? unescapeText(text) : text
  const at = plain.indexOf(certificate)
  const open = at < 0 ? plain : `${plain.slice(0, at)}${hidden}`
  const named = open.replace(settingsChanged, '$1 config vars')
  return redact(/@|:\/\//.test(named) ? named.replace(/\S+/g, scrubWord) : named)
}

/** Unescapes JSON and links within a text, so that secrets in them are found. Matches a row of backslashes at once. */
const unescapeText = (text: string): string =>
  text
    .replace(/%40|\\+(?:u0040)?/gi, (code) => (code.endsWith('40') ? '@' : code))
    .replace(/%(?:3a|2f|3f|23|3d|26)/gi, (code) => decodeURIComponent(code))
    .replace(/\\+(["'/])?/g, (row, quoted?: string) => quoted ?? row)

// An @ outside of email addresses: name@1.2.3, name@^2, owner/action@v4, owner/action@main, @scope/name, …/@scope/name.
const versions = /@[v^~]?(?:\d+(?:\.\d+)?|\d+\.\d+\.\d+(?:[-+][\w.+-]*)?)(?![\w@-]|\.\w)/g
const references = /(?<=^[("'`[]*[\w.-]+\/[\w./-]+)@(?=[\w-]+(?![\w@-]|\.\w))/
const scopes = /(?<=^[("'`[]*(?:(?:https?:\/\/)?[\w./-]+\/)?)@(?=[\w-]+\/)/

/** Scrubs a single word, so that the total time is linear in the length of the text. */
function scrubWord(word: string): string {
  const rest = word.replace(scopes, '').replace(versions, '').replace(references, '')
  if (/[^@<]@[^@]/.test(rest)) return hidden
  return word.includes('://') ? word.replace(/[?#].*/, '') : word
}

const graphemes = once(() => new Intl.Segmenter('en', { granularity: 'grapheme' }))
export const ellipsis = '…'

/** Cuts a text to at most `most` UTF-16 units, between graphemes and with an ellipsis. */
export function truncate(text: string, most: number): string {
  if (text.length <= most) return text
  if (most < ellipsis.length) return ''
  const room = most - ellipsis.length
  let end = 0
  for (const { index, segment } of graphemes().segment(text)) {
    if (index + segment.length > room) break
    end = index + segment.length
  }
  return `${text.slice(0, end).replace(halfEscape, '').trimEnd()}${ellipsis}`
}

/** A trailing backslash without the character it escaped. */
const halfEscape = /(?<!\\)(?:\\\\)*\\$/
