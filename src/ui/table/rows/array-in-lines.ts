import { CallError } from '../../data/api.ts'

/** Reads a long array while it comes: each line of the answer has some of its items. By `fetch`, since nothing else reads on the way. */
export async function* arrayInLines<Item>(url: string, signal?: AbortSignal): AsyncGenerator<readonly Item[]> {
  const broken = () => {
    signal?.throwIfAborted()
    throw new CallError('Network Error')
  }
  const answer = await fetch(url, { signal: signal ?? null }).catch(broken)
  if (!answer.ok || !answer.body) {
    const data: unknown = await answer.json().catch(() => undefined)
    throw new CallError(`Request failed with status code ${answer.status}`, { status: answer.status, data })
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  let begun = ''
  let head = '['
  for (;;) {
    const { done, value = '' } = await reader.read().catch(broken)
    const lines = (begun + value).split('\n')
    begun = done ? '' : (lines.pop() ?? '')
    if (done && !lines.at(-1)?.endsWith(']')) broken()
    for (const line of lines) {
      // Such as `[a,b,` or `c]`.
      yield JSON.parse(`[${line.slice(head.length, -1)}]`)
      head = ''
    }
    if (done) return
  }
}
