const hidden = '[hidden]'
const secretName = /authorization|cookie|passw(?:or)?d|secret|token|api[-_]?key/i

/** What may stand in front of a secret is kept, the secret goes. The order matters: whole headers first. */
const rules: [RegExp, string][] = [
  [/((?:set-)?cookie["']?\s{0,3}[=:]\s{0,3}["']?)[^\r\n"']+/gi, `$1${hidden}`],
  [/(authorization["']?\s{0,3}[=:]\s{0,3}["']?)(?:(?:bearer|basic|digest)\s+)?[^\s"',;]+/gi, `$1${hidden}`],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${hidden}`],
  [
    /((?:passw(?:or)?d|secret|token|api[-_]?key)["']?\s{0,3}[=:]\s{0,3})(?:"[^"\r\n]*"|'[^'\r\n]*'|[^\s&;,"'}]+)/gi,
    `$1${hidden}`,
  ],
  // What a provider sends back with a browser is worth a session.
  [/([?&](?:code|state)=)[^\s&#"']+/gi, `$1${hidden}`],
  [/(\/webhooks\/\d+\/)[\w.-]+/gi, `$1${hidden}`],
  [/(\/hooks\/[\w-]+\/)[\w.~%-]+/gi, `$1${hidden}`],
  [/\btbx_[\w-]+/g, `tbx_${hidden}`],
]
/** Every secret of these has one of these words before it; most texts have none of them, and are looked at but once. */
const tells = /cookie|authorization|bearer|basic|passw|secret|token|api[-_]?key|code=|state=|hooks\/|tbx_/i
const ofAddress = /(\b[a-z][\w+.-]{0,20}:\/\/)[^\s/@"'?#]+@/gi

/** A text for logs, notes and error messages without the secrets of headers, addresses and keys. */
export function redact(text: string): string {
  const told = tells.test(text) ? rules.reduce((left, [pattern, kept]) => left.replace(pattern, kept), text) : text
  return told.includes('://') ? told.replace(ofAddress, `$1${hidden}@`) : told
}

const deepest = 6

/** The same for anything that is logged: fields with a secret's name are hidden, every text in it is redacted. */
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
