import { updateClockOffset } from '../time-now.ts'

type Answer = { status: number; data: unknown }

/** A failed call; `answer` is undefined if there was no response. */
export class CallError extends Error {
  override name = 'CallError'
  readonly answer: Answer | undefined
  constructor(message: string, answer?: Answer) {
    super(message)
    this.answer = answer
  }
}

/** A call not sent or repeated: the user or session changed meanwhile, or the user did not reauthenticate. */
export class CallCanceled extends CallError {}

export type Params = Record<string, string | number | boolean | null | undefined>
export type Options = { params?: Params | URLSearchParams; signal?: AbortSignal; timeout?: number }
type Call = Options & { method: string; url: string; body?: unknown }

let getToken = async (_url: string) => ''
/** Sets how writes obtain their XSRF token; `get` throws if the call to this URL must not be sent. */
export const setTokenGetter = (get: (url: string) => Promise<string>) => {
  getToken = get
}

let getProof = async () => false
/** Sets how the user reauthenticates. A call that requires it is then repeated; `ask` resolves to false on cancel. */
export const setProofGetter = (ask: () => Promise<boolean>) => {
  getProof = ask
}

/** Resolves to false on cancel. */
export const askForProof = (): Promise<boolean> => getProof()

/** Whether a call needs the session and may be dropped when it ends: not writes, whose outcome matters, nor files. */
const endsWithSession = ({ method, url }: Call) => method === 'GET' && /^\/api\/(?!v1\/auth\/)/.test(url)
/** Pending requests of calls that end with the session. */
const pendingRequests = new Set<XMLHttpRequest>()
/** While set, such calls wait; resolves to whether they may still be sent. */
let pause: Promise<boolean> | undefined

/** Makes the call that ends the session. Aborts requests that need it, and pauses new ones until `resumeCalls`. */
export async function pauseCallsDuring<T>(make: () => Promise<T>): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  pause = promise
  for (const request of pendingRequests) request.abort()
  try {
    const answer = await make()
    resolve(false)
    return answer
  } catch (error) {
    resumeCalls()
    resolve(true)
    throw error
  }
}

/** Lets calls be sent again, once no screen on the page still assumes the ended session. */
export const resumeCalls = (): void => {
  pause = undefined
}

function addressOf(url: string, params: Options['params'] = {}) {
  const query = new URLSearchParams(params instanceof URLSearchParams ? params : [])
  for (const [name, value] of Object.entries(params))
    if (value !== undefined && value !== null) query.set(name, String(value))
  return query.size === 0 ? url : `${url}?${query}`
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Resolves to a response of any status. Avoids `fetch`, which can't tell an abandoned call from a failed one. */
const send = (call: Call, token: string) =>
  new Promise<Answer>((resolve, reject) => {
    const { method, url, params, body, signal, timeout = api.timeout } = call
    signal?.throwIfAborted()
    const request = new XMLHttpRequest()
    const failWith = (text: string) => () => reject(new CallError(text))
    request.open(method, addressOf(url, params))
    request.timeout = timeout
    // Browsers use a preloaded response only for a request without extra headers.
    if (method !== 'GET') request.setRequestHeader('x-xsrf-token', token)
    const isFile = body instanceof Blob
    // A file has its own content type.
    if (body !== undefined && !isFile) request.setRequestHeader('content-type', 'application/json')
    const sentAt = Date.now()
    request.addEventListener('load', () => {
      // A response from the browser's cache has the date on which it was stored.
      if (request.getResponseHeader('cache-control')?.includes('no-store'))
        updateClockOffset(request.getResponseHeader('date'), sentAt, Date.now())
      resolve({ status: request.status, data: parseBody(request.responseText) })
    })
    request.addEventListener('error', failWith('Network Error'))
    request.addEventListener('abort', failWith('Request aborted'))
    request.addEventListener('timeout', failWith(`timeout of ${timeout}ms exceeded`))
    signal?.addEventListener('abort', () => request.abort())
    if (endsWithSession(call)) {
      pendingRequests.add(request)
      request.addEventListener('loadend', () => pendingRequests.delete(request))
    }
    request.send(body === undefined ? null : isFile ? body : JSON.stringify(body))
  })

export async function request<Data>(options: Call): Promise<Data> {
  if (pause && endsWithSession(options) && !(await pause)) throw new CallCanceled('')
  const answer = await send(options, options.method === 'GET' ? '' : await getToken(options.url))
  if (answer.status === 403 && Object(answer.data).reauthenticate === true) {
    if (await getProof()) return request(options)
    // A user who cancels needs no explanation.
    throw new CallCanceled('')
  }
  if (answer.status < 200 || answer.status > 299)
    throw new CallError(`Request failed with status code ${answer.status}`, answer)
  return answer.data as Data
}

/** Calls without a typed contract, such as lists, whose columns only the server knows. */
export const api = {
  /** Milliseconds; 0 means no limit. */
  timeout: 0,
  get: <Data>(url: string, options?: Options) => request<Data>({ ...options, method: 'GET', url }),
}

const answerOf = (error: unknown) => (error instanceof CallError ? error.answer : undefined)
type Refusal = { error?: unknown; fields?: Record<string, string>; current?: unknown }
const refusalOf = (error: unknown): Refusal => {
  const data = answerOf(error)?.data
  return typeof data === 'object' && data !== null ? data : {}
}

/** The message to show the user for an error. */
export function reason(error: unknown): string {
  if (error instanceof CallError && !error.answer) return error.message
  const serverMessage = refusalOf(error).error
  return typeof serverMessage === 'string' && serverMessage ? serverMessage : 'Something went wrong.'
}

export const fieldErrorsOf = (error: unknown): Record<string, string> => refusalOf(error).fields ?? {}

/** The current record, if an edit was refused because the record has been edited meanwhile. */
export const currentRecordOf = <Row>(error: unknown): Row | undefined => refusalOf(error).current as Row | undefined

export const isCallCanceled = (error: unknown): boolean => error instanceof CallCanceled

/** Whether a call was sent but got no response. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof CallError && !error.answer && !isCallCanceled(error)

/** Whether the server refused this call and would do so again; false if it was busy (429) or failed. */
export const isRefusal = (error: unknown): boolean => {
  const status = statusOf(error) ?? 500
  return status >= 400 && status < 500 && status !== 429
}

/** The HTTP status of a failed call; undefined if there was no response. */
export const statusOf = (error: unknown): number | undefined => answerOf(error)?.status
