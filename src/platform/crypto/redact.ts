const hidden = '[hidden]'
const secretName = /authorization|cookie|passw(?:or)?d|secret|token|api[-_]?key/i

/** Each keeps what precedes a secret and hides the secret. The order matters: whole headers first. */
const rules: [RegExp, string][] = [
  [/((?:set-)?cookie["']?\s{0,3}[=:]\s{0,3}["']?)[^\r\n"']+/gi, `$1${hidden}`],
  [/(authorization["']?\s{0,3}[=:]\s{0,3}["']?)(?:(?:bearer|basic|digest)\s+)?[^\s"',;]+/gi, `$1${hidden}`],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${hidden}`],
  [
    /((?:passw(?:or)?d|secret|token|api[-_]?key)["']?\s{0,3}[=:]\s{0,3})(?:"[^"\r\n]*"|'[^'\r\n]*'|[^\s&;,"'}]+)/gi,
    `$1${hidden}`,
  ],
  // What a provider sends back by the browser can be exchanged for a session.
  [/([?&](?:code|state)=)[^\s&#"']+/gi, `$1${hidden}`],
  [/(\/webhooks\/\d+\/)[\w.-]+/gi, `$1${hidden}`],
  [/(\/hooks\/[\w-]+\/)[\w.~%-]+/gi, `$1${hidden}`],
  [/\btbx_[\w-]+/g, `tbx_${hidden}`],
]
/** Every such secret is preceded by one of these words. Most texts contain none, so they are searched only once. */
const hints = /cookie|authorization|bearer|basic|passw|secret|token|api[-_]?key|code=|state=|hooks\/|tbx_/i
const ofAddress = /(\b[a-z][\w+.-]{0,20}:\/\/)[^\s/@"'?#]+@/gi

/** A text for logs, notes and error messages, without secrets from headers, addresses and keys. */
export function redact(text: string): string {
  const redacted = hints.test(text) ? rules.reduce((left, [pattern, kept]) => left.replace(pattern, kept), text) : text
  return redacted.includes('://') && redacted.includes('@') ? redacted.replace(ofAddress, `$1${hidden}@`) : redacted
}

const deepest = 6

/** The same for any logged value: hides fields with a secret's name and redacts every text. */
export function redactValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= deepest) return '[deeper]'
  if (value instanceof Error) return redactError(value, depth)
  if (Array.isArray(value)) return value.map((one) => redactValue(one, depth + 1))
  if (value instanceof Date || ArrayBuffer.isView(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, hides(name, one) ? hidden : redactValue(one, depth + 1)]),
  )
}

const hides = (name: string, value: unknown) => secretName.test(name) && value !== undefined && value !== null

function redactError(error: Error, depth: number) {
  const { name, message, stack, cause } = error
  return {
    type: name,
    message: redact(message),
    stack: redact(stack ?? ''),
    ...(cause === undefined ? {} : { cause: redactValue(cause, depth + 1) }),
  }
}
