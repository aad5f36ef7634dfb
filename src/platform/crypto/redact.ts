const hidden = '[hidden]'
const names = 'authorization|cookie|passw(?:or)?d|secret|token|api[-_]?key'
const secretName = new RegExp(names, 'i')

type Rule = (text: string) => string
/** Hides the match except for its first group. */
const hide =
  (pattern: RegExp): Rule =>
  (text) =>
    text.replace(pattern, `$1${hidden}`)
/** Hides the second group, directly after the first, if it looks like a secret. */
const hideSecret =
  (pattern: RegExp): Rule =>
  (text) =>
    text.replace(pattern, (all, before: string, value: string) => (looksSecret(value) ? before + hidden : all))
const named = (before: string, after: string) => new RegExp(`(${before}(?:${names})${after}`, 'gi')
const quotedText = `"[^"\\r\\n]*"|'[^'\\r\\n]*'`

/** The order matters: whole headers first. */
const rules: Rule[] = [
  // Limit the length of the cookie name: otherwise a run of these words is rescanned from each of them.
  hide(/((?:set-)?cookie["']?\s{0,3}[=:]\s{0,3}["']?)(?=[^\s=;,"']{1,100}=)[^\r\n"']+/gi),
  hide(/(authorization["']?\s{0,3}[=:]\s{0,3}["']?(?:bearer|basic|digest)\s+)[^\s"',;]+/gi),
  hideSecret(/\b((?:bearer|basic)\s+)([\w.~+/=-]+)/gi),
  hide(named('', `["']?\\s{0,3}=\\s{0,3})(?:${quotedText}|[^\\s&;,"'}]+)`)),
  // An object member as JSON or Node prints it.
  hide(named('', `["']\\s{0,3}:\\s{0,3})(?:${quotedText})`)),
  hide(named('(?<=[{,]\\s{0,3}[\\w-]{0,30})', `\\s{0,3}:\\s{0,3})(?:${quotedText})`)),
  // Other colons may also precede a plain message: "the ID token: unexpected claim".
  hideSecret(named('', `["']?\\s{0,3}:\\s{0,3}["']?)([^\\s&;,"'}]+)`)),
  // The parameters of a provider's redirect can be exchanged for a session.
  hide(/([?&](?:code|state)=)[^\s&#"']+/gi),
  hide(/(\/webhooks\/\d+\/)[\w.-]+/gi),
  hide(/(\/hooks\/[\w%-]+\/)[\w.~%-]+/gi),
  // Links in mails and invitations, and URLs of Telegram bots.
  hide(/(\/(?:auth|user)\/[\w-]+#)[\w-]{20,}/gi),
  hide(/(\/bot\d+:)[\w-]+/gi),
  hide(/\b(tbx_|whsec_)[\w+/=-]+/g),
]
/** Each rule's secrets contain or follow one of these words. Most texts contain none, so one search suffices. */
const hints =
  /cookie|authorization|bearer|basic|passw|secret|token|api[-_]?key|code=|state=|hooks\/|#|\/bot|tbx_|whsec_/i

/** Whether a text looks like a secret: long hex, several digits among letters, or frequent changes of case. */
function looksSecret(text: string): boolean {
  if (/^[\da-f-]{32,}$/i.test(text)) return true
  const letters = text.replace(/[^a-z]/gi, '')
  const isCode = /^[A-Z0-9]+(?:_[A-Z0-9]+)+$/.test(text)
  if (text.length < 8 || letters.length < 3 || isCode || text.includes('://')) return false
  if (/\d.*\d/.test(text)) return true
  const changes = letters.match(/(?<=[a-z])[A-Z]|(?<=[A-Z])[a-z]/g)?.length ?? 0
  return letters.length >= 16 && changes * 3 > letters.length
}

const ofAddress = /(\b[a-z][\w+.-]{0,20}:\/\/)[^\s/"'?#]+@/gi

/** Hides the secrets in a text for logs, notes and error messages: those in headers, addresses and keys. */
export function redact(text: string): string {
  const redacted = hints.test(text) ? rules.reduce((result, rule) => rule(result), text) : text
  return redacted.includes('://') && redacted.includes('@') ? redacted.replace(ofAddress, `$1${hidden}@`) : redacted
}

const deepest = 6

/** Redacts any logged value: hides fields named like secrets, and redacts all text. */
export function redactValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= deepest) return '[deeper]'
  if (value instanceof Error) return redactError(value, depth)
  if (Array.isArray(value)) return value.map((one) => redactValue(one, depth + 1))
  if (value instanceof Date || ArrayBuffer.isView(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isSecretField(name, one) ? hidden : redactValue(one, depth + 1)]),
  )
}

const isSecretField = (name: string, value: unknown) => secretName.test(name) && value !== undefined && value !== null

function redactError(error: Error, depth: number) {
  const { name, message, stack, cause } = error
  return {
    type: name,
    message: redact(message),
    stack: redact(stack ?? ''),
    ...(cause === undefined ? {} : { cause: redactValue(cause, depth + 1) }),
  }
}
